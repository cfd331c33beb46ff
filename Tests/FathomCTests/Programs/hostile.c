/* Random and hostile calls of the C interface: hostile SEED CALLS. Fails if a call does not return a known
   status, or leaves no reason for a failure. */

#include <fathom.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t bits(void) {
  state += 0x9E3779B97F4A7C15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static int64_t below(int64_t limit) { return (int64_t)(bits() % (uint64_t)limit); }
static int chance(int percent) { return below(100) < percent; }
static double unit(void) { return (double)(bits() >> 11) / 9007199254740992.0; }

static double number(double usual) {
  static const double odd[] = {0, -0.0, -1, 1e-320, 1e300, -1e300, 1e38, 3.4028235e38, 1e9, 1e-6, 4.5e15, 255};
  switch (below(20)) {
    case 0: return NAN;
    case 1: return INFINITY;
    case 2: return odd[below(12)];
    default: return usual * (0.5 + unit());
  }
}

static int64_t calls, failures;

static int32_t checked(const char *what, int32_t status) {
  calls++;
  switch (status) {
    case FATHOM_OK: return status;
    case -1:
    case FATHOM_USAGE:
    case FATHOM_BAD_DATA:
    case FATHOM_NO_INPUT:
    case FATHOM_CANCELLED: break;
    default: fprintf(stderr, "%s: status %d: %s\n", what, status, fathom_last_error()); exit(1);
  }
  failures++;
  if (status != -1 && strlen(fathom_last_error()) == 0) {
    fprintf(stderr, "%s: no reason\n", what);
    exit(1);
  }
  return status;
}

enum { MOST = 48, NAMES = 6 };
static const char *const words[] = {"A", "B", "C", "D", "", "a name that is long enough to need memory of its own"};
static double columns[16][MOST];
static int64_t times[MOST], lines[MOST];
static int32_t tags[MOST], anchor[MOST], events[MOST];

static const double *column(int place, int percent, double usual) {
  if (!chance(percent)) return NULL;
  for (int row = 0; row < MOST; row++) columns[place][row] = number(usual);
  return columns[place];
}

static const char *names[NAMES];
static const char *const *some_names(void) {
  for (int place = 0; place < NAMES; place++)
    names[place] = chance(1) ? NULL : words[chance(90) ? place % 4 : below(6)];
  return chance(2) ? NULL : names;
}

static double place[6][NAMES];
static const char *anchor_names[NAMES];
static fathom_anchors some_anchors(void) {
  for (int axis = 0; axis < 6; axis++)
    for (int index = 0; index < NAMES; index++)
      place[axis][index] = chance(3) ? number(1) : axis == 5 ? 1 : 10 * unit();
  for (int index = 0; index < NAMES; index++) anchor_names[index] = words[chance(2) ? below(6) : index];
  fathom_anchors anchors = {
      .count = chance(2) ? -below(10) : 2 + below(NAMES - 1), .name = anchor_names, .x_m = place[0],
      .y_m = chance(1) ? NULL : place[1], .z_m = chance(30) ? NULL : place[2],
      .sigma_m = chance(20) ? place[3] : NULL, .bias_m = chance(20) ? place[4] : NULL,
      .scale = chance(20) ? place[5] : NULL};
  if (anchors.count > 4 && chance(50)) anchors.count = 4;
  return anchors;
}

static const char *some_json(void) {
  static const char *const texts[] = {
      "{}", "{\"method\": \"fix\"}", "{\"method\": \"smooth\"}", "{\"method\": \"filter\", \"rate_hz\": 5}",
      "{\"height_m\": 1, \"height_sigma_m\": 0.1}", "{\"height_m\": 1e999}", "{\"range_sigma_m\": 0}",
      "{\"range_sigma_m\": 0.05, \"method\": \"fix\"}", "{\"bounds_m\": [[0, 0], [10, 10]]}",
      "{\"bounds_m\": [[0], [10, 10]]}", "{\"side\": \"below\"}", "{\"side\": \"left\"}", "{\"unknown\": 1}", "[]", "",
      "{", "\"", "null", "{\"kept_anchors\": [\"A\", \"Z\"]}", "{\"smoothing\": \"hampel\"}",
      "{\"smoothing\": \"one-euro\", \"acceleration_density\": 0}", "{\"epoch_window_s\": 0, \"method\": \"fix\"}",
      "{\"zones\": {\"areas\": [{\"name\": \"a\", \"corners_m\": [[0,0],[5,0],[5,5]]}]}}", "{\"loss\": \"tukey\"}",
      "{\"relative_distances\": [1, -1]}", "{\"align\": \"rigid\", \"is_horizontal\": true}", "{\"align\": 3}",
      "{\"area_m\": [[0,0],[9,9]], \"step_m\": 1}", "{\"area_m\": [[0,0],[0,9]]}", "{\"step_m\": 1e-6}",
      "{\"sensors\": [\"height\", \"odometry\", \"difference\"]}", "{\"sensors\": [\"inertial\"]}", "{\"sensors\": 1}",
      "{\"sensors\": [\"sonar\"]}", "{\"range_sigma_m\": 1e300}", "{\"height_m\": \"one\"}", "{\"notes\": \"\xff\xfe\"}"};
  return chance(20) ? NULL : texts[below(sizeof texts / sizeof *texts)];
}

static int32_t stop(double done, void *context) { return done > *(double *)context; }

static void use(fathom_recording *recording) {
  fathom_ranges ranges;
  fathom_anchors anchors;
  char *text = NULL;
  checked("ranges", fathom_recording_ranges(recording, chance(2) ? NULL : &ranges));
  checked("anchors", fathom_recording_anchors(recording, &anchors));
  if (checked("info", fathom_recording_info(recording, &text)) == FATHOM_OK) fathom_text_free(text);
  double limit = unit() * 2;
  fathom_result *result = NULL;
  if (checked("process", fathom_process(recording, some_json(), chance(50) ? stop : NULL, &limit, &result)) != 0)
    return;
  fathom_positions positions;
  fathom_distances distances;
  checked("positions", fathom_result_positions(result, &positions));
  checked("distances", fathom_result_distances(result, &distances));
  double sum = 0;
  for (int64_t row = 0; row < positions.count; row++) sum += positions.x_m[row] + positions.alt_z_m[row];
  for (int64_t row = 0; row < distances.count; row++) sum += distances.smoothed_m[row] + distances.decision[row];
  int64_t count = 0;
  if (checked("text", fathom_result_text(result, (int32_t)below(8) - 1, &text, &count)) == FATHOM_OK) fathom_text_free(text);
  if (checked("summary", fathom_result_summary(result, &text)) == FATHOM_OK) fathom_text_free(text);
  (void)fathom_result_name(result, (int32_t)below(6) - 1, below(10) - 2);
  struct ArrowSchema schema;
  struct ArrowArray rows;
  if (checked("arrow", fathom_result_arrow(result, (int32_t)below(3), &schema, &rows)) == FATHOM_OK) {
    if (chance(50)) {
      fathom_result_free(result);
      result = NULL;
    }
    for (int64_t row = 0; row < rows.children[2]->length && rows.children[2]->n_buffers > 1; row++)
      sum += ((const uint8_t *)rows.children[2]->buffers[1])[row];
    fathom_recording *again = NULL;
    anchors = some_anchors();
    /* Both are released by the call. */
    if (checked("from arrow", fathom_recording_from_arrow("x", &schema, &rows, &anchors, NULL, &again)) == 0)
      fathom_recording_free(again);
  }
  if (sum == 12345) printf("%f\n", sum);
  fathom_result_free(result);
}

static void rows(void) {
  const int64_t count = chance(2) ? -1 : below(MOST);
  for (int row = 0; row < MOST; row++) {
    times[row] = chance(2) ? (int64_t)bits() : row * 50000000LL;
    tags[row] = chance(2) ? (int32_t)bits() : (int32_t)below(2);
    anchor[row] = chance(2) ? (int32_t)bits() : row % 4;
    events[row] = chance(95) ? -1 : (int32_t)below(12) - 3;
    lines[row] = row;
  }
  fathom_ranges ranges = {
      .count = count, .time_ns = chance(80) ? times : NULL, .time_s = column(0, 50, 10),
      .tag = chance(70) ? tags : NULL, .tag_count = NAMES, .tag_name = some_names(),
      .anchor = chance(90) ? anchor : NULL, .anchor_count = chance(2) ? -3 : NAMES, .anchor_name = names,
      .distance_m = column(1, 98, 6), .sigma_m = column(2, 30, 0.1), .azimuth_rad = column(3, 30, 1),
      .elevation_rad = column(4, 30, 1), .direction_x = column(5, 20, 0.57), .direction_y = column(6, 90, 0.57),
      .direction_z = column(7, 90, 0.57), .horizontal_angle_rad = column(8, 20, 1),
      .vertical_estimate = column(9, 20, 2), .rssi_dbm = column(10, 30, -80),
      .rssi_first_path_dbm = column(11, 30, -85), .nlos = column(12, 20, 0.5),
      .truth_distance_m = column(13, 20, 5), .event = chance(30) ? events : NULL,
      .line = chance(30) ? lines : NULL, .zero_is_distance = chance(30)};
  fathom_anchors anchors = some_anchors();
  fathom_recording *recording = NULL;
  if (checked("create", fathom_recording_create(
                            chance(90) ? "random" : NULL, chance(1) ? NULL : &ranges,
                            chance(10) ? NULL : &anchors, chance(30) ? some_json() : NULL, &recording)) != 0)
    return;
  use(recording);
  fathom_recording_free(recording);
}

static void release_schema(struct ArrowSchema *schema) { schema->release = NULL; }
static void release_array(struct ArrowArray *array) { array->release = NULL; }

static void arrow(void) {
  static const char *const formats[] = {"g", "f", "i", "l", "C", "b", "u", "tsn:", "tsu:UTC", "+s", "", "vu", "n", "U"};
  static const char *const fields[] = {"time_s", "time_ns", "tag", "anchor", "distance_m", "sigma_m", "nlos", "event"};
  static _Alignas(16) unsigned char memory[8][(MOST + 2) * 16], valid[MOST];
  static int32_t offsets[MOST + 2];
  struct ArrowSchema schemas[8], schema, *schema_table[8];
  struct ArrowArray arrays[8], array, *array_table[8];
  const void *buffers[8][3];
  for (int row = 0; row < MOST + 2; row++) offsets[row] = row;
  for (size_t byte = 0; byte < sizeof valid; byte++) valid[byte] = (unsigned char)bits();
  for (int field = 0; field < 8; field++) {
    const char *format = chance(70) ? (field < 2 ? "l" : "g") : formats[below(14)];
    const int is_text = format[0] == 'u' || format[0] == 'U';
    for (int row = 0; row < MOST; row++) {
      if (format[0] == 'g') ((double *)memory[field])[row] = number(5);
      else if (format[0] == 'U') ((int64_t *)memory[field])[row] = row;
      else ((int64_t *)memory[field])[row] = (int64_t)row * 100000000;
    }
    buffers[field][0] = chance(70) ? NULL : valid;
    buffers[field][1] = format[0] == 'u' ? (const void *)offsets : memory[field];
    buffers[field][2] = is_text ? (const void *)"ABCDABCDABCDABCDABCDABCDABCDABCDABCDABCDABCDABCDABCDABCD" : NULL;
    if (chance(2)) buffers[field][1] = NULL;
    schemas[field] = (struct ArrowSchema){.format = chance(1) ? NULL : format, .name = chance(1) ? NULL : fields[field]};
    arrays[field] = (struct ArrowArray){
        .length = MOST - 4, .null_count = buffers[field][0] ? -1 : 0, .offset = chance(80) ? 0 : below(4),
        .n_buffers = chance(2) ? below(2) : 3, .buffers = buffers[field]};
    schema_table[field] = chance(1) ? NULL : &schemas[field];
    array_table[field] = chance(1) ? NULL : &arrays[field];
  }
  schema = (struct ArrowSchema){
      .format = chance(2) ? "l" : "+s", .n_children = chance(2) ? 3 : 8, .children = chance(1) ? NULL : schema_table,
      .release = release_schema};
  array = (struct ArrowArray){
      .length = chance(2) ? -1 : below(MOST - 4), .n_children = 8, .children = array_table, .release = release_array};
  fathom_anchors anchors = some_anchors();
  fathom_recording *recording = NULL;
  if (checked("arrow", fathom_recording_from_arrow("arrow", &schema, &array, &anchors, NULL, &recording)) == 0) {
    use(recording);
    fathom_recording_free(recording);
  }
  if (schema.release != NULL || array.release != NULL) {
    fprintf(stderr, "not released\n");
    exit(1);
  }
}

static void locate(void) {
  static double ranges[MOST * NAMES], out[13][MOST];
  static uint8_t verdict[MOST];
  for (int index = 0; index < MOST * NAMES; index++) ranges[index] = number(6);
  fathom_anchors anchors = some_anchors();
  fathom_fixes fixes = {
      out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8], out[9], out[10], out[11], out[12],
      verdict};
  if (chance(30)) memset(&fixes, 0, sizeof fixes);
  checked("locate", fathom_locate(chance(1) ? NULL : &anchors, chance(2) ? NULL : ranges, chance(2) ? -1 : below(MOST),
                                  some_json(), NULL, NULL, chance(2) ? NULL : &fixes));
  static double smoothed[MOST], sigma[MOST], rate[MOST];
  for (int row = 0; row < MOST; row++) times[row] = chance(3) ? (int64_t)bits() : row * 100000000LL;
  checked("smooth", fathom_smooth(below(MOST), times, chance(2) ? NULL : ranges, some_json(), chance(2) ? NULL : smoothed,
                                  chance(50) ? sigma : NULL, chance(50) ? rate : NULL));
}

static void track(void) {
  fathom_anchors anchors = some_anchors();
  fathom_tracker *tracker = NULL;
  if (checked("tracker", fathom_tracker_create(chance(1) ? NULL : &anchors, some_json(), &tracker)) != 0) return;
  for (int step = 0; step < 30; step++) {
    const int64_t time = chance(3) ? (int64_t)bits() : step * 100000000LL;
    int32_t outcome = 0;
    fathom_estimate estimate;
    checked("update", fathom_tracker_update(chance(1) ? NULL : tracker, time, chance(3) ? (int32_t)bits() : (int32_t)below(5),
                                            number(5), chance(80) ? NAN : number(0.1), chance(10) ? NULL : &outcome));
    checked("estimate", fathom_tracker_estimate(tracker, time, chance(1) ? NULL : &estimate));
  }
  for (int step = 0; step < 30; step++) {
    fathom_measurement measurements[4];
    for (int row = 0; row < 4; row++) {
      measurements[row] = (fathom_measurement){
          .time_ns = chance(3) ? (int64_t)bits() : step * 100000000LL + row * 1000,
          .begin_ns = chance(3) ? (int64_t)bits() : (step - 1) * 100000000LL,
          .kind = chance(3) ? (int32_t)bits() : (int32_t)below(7),
          .anchor = chance(3) ? (int32_t)bits() : (int32_t)below(5),
          .other_anchor = chance(3) ? (int32_t)bits() : (int32_t)below(5), .sigma = chance(80) ? NAN : number(0.1)};
      for (int value = 0; value < 6; value++) measurements[row].values[value] = number(1);
    }
    int32_t outcomes[4];
    checked("measure", fathom_tracker_measure(chance(1) ? NULL : tracker, chance(2) ? -1 : 4,
                                              chance(1) ? NULL : measurements, chance(10) ? NULL : outcomes));
  }
  if (chance(20)) checked("reset", fathom_tracker_reset(tracker));
  static fathom_estimate estimates[MOST];
  for (int row = 0; row < MOST; row++) {
    times[row] = row * 100000000LL;
    anchor[row] = (int32_t)below(5);
  }
  checked("many", fathom_tracker_update_many(tracker, below(MOST), times, chance(2) ? NULL : anchor, column(0, 100, 5),
                                             column(1, 20, 0.1), NULL, chance(50) ? estimates : NULL));
  fathom_tracker_free(tracker);
}

static void evaluate(void) {
  for (int row = 0; row < MOST; row++) {
    times[row] = chance(2) ? (int64_t)bits() : row * 100000000LL;
    tags[row] = chance(5) ? (int32_t)bits() : (int32_t)below(2);
  }
  fathom_trajectory trajectory = {
      .count = below(MOST), .time_ns = times, .tag = chance(50) ? tags : NULL, .tag_count = 2, .tag_name = words,
      .x_m = column(0, 99, 1), .y_m = column(1, 99, 1), .z_m = column(2, 70, 1)};
  if (chance(40)) {
    trajectory.sxx = trajectory.syy = trajectory.szz = column(3, 98, 0.01);
    trajectory.sxy = trajectory.sxz = trajectory.syz = column(4, 98, 0.001);
  }
  fathom_truth *truth = NULL;
  if (checked("truth", fathom_truth_create(&trajectory, &truth)) != 0) return;
  fathom_trajectory view;
  checked("truth rows", fathom_truth_positions(truth, &view));
  char *json = NULL;
  if (checked("evaluate", fathom_evaluate(&trajectory, truth, some_json(), &json)) == 0) fathom_text_free(json);
  fathom_truth_free(truth);
  fathom_anchors anchors = some_anchors();
  if (chance(10) && checked("geometry", fathom_geometry(&anchors, some_json(), &json)) == 0) fathom_text_free(json);
  fathom_recording *recording = NULL;
  checked("simulate", fathom_simulate("name: [", NULL, -1, &recording, NULL));
  checked("read", fathom_recording_read(chance(50) ? NULL : "/nonexistent", NULL, some_json(), &recording));
  checked("null", fathom_recording_ranges(NULL, NULL));
  (void)fathom_word((int32_t)below(12) - 2, (int32_t)below(12) - 2);
}

int main(int count, char **arguments) {
  if (count != 3) return 64;
  state = strtoull(arguments[1], NULL, 10);
  const int64_t limit = strtoll(arguments[2], NULL, 10);
  while (calls < limit) {
    switch (below(6)) {
      case 0:
      case 1: rows(); break;
      case 2: arrow(); break;
      case 3: locate(); break;
      case 4: track(); break;
      default: evaluate();
    }
  }
  printf("%lld calls, %lld refused\n", (long long)calls, (long long)failures);
  return 0;
}
