/* Fathom from C: positions and distances from ultra-wideband ranges.

   Every function that can fail returns a status; FATHOM_OK is 0, and the others are the exit codes of the
   command-line tool. The reason is in fathom_last_error() of the calling thread.

   Handles are opaque and are released with their own function; NULL may be released. Functions on
   different handles may run at the same time on any threads. On one handle, functions that only read
   (const) may run at the same time.

   Input columns are borrowed for the duration of the call. A column that is NULL is absent, and a number
   that is absent is NaN. Output columns belong to the handle and are valid until it is released. Texts
   are UTF-8. Lengths are in metres, angles in radians, times in seconds or whole nanoseconds. */

#ifndef FATHOM_H
#define FATHOM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface: of structures, functions and codes. A program checks that it equals
   fathom_abi_version() of the library. */
#define FATHOM_ABI_VERSION 1

enum {
  FATHOM_OK = 0,
  /* An argument is invalid: NULL where a pointer is needed, a negative count, an unknown code. */
  FATHOM_USAGE = 64,
  /* The data or a setting cannot be used. */
  FATHOM_BAD_DATA = 65,
  /* A file cannot be read. */
  FATHOM_NO_INPUT = 66,
  /* An error of the library itself. */
  FATHOM_INTERNAL = 70,
  FATHOM_CANNOT_WRITE = 73,
  FATHOM_WRITING_FAILED = 74,
  /* The callback ended the call. */
  FATHOM_CANCELLED = 130
};

uint32_t fathom_abi_version(void);

/* The version of Fathom, such as "0.1.0". */
const char *fathom_version(void);

/* The reason of the last failure in this thread; empty before the first. Valid until the next call in
   this thread. */
const char *fathom_last_error(void);

/* Releases a text that a function returned through a char **. */
void fathom_text_free(char *text);

/* ---- Anchors and ranges ---------------------------------------------------------------------------- */

typedef struct fathom_anchors {
  int64_t count;
  const char *const *name;
  const double *x_m;
  const double *y_m;
  /* NULL for anchors without heights: positions are then in their plane, unless a height is known. */
  const double *z_m;
  /* Survey error, and bias and scale of ranges; each may be NULL. */
  const double *sigma_m;
  const double *bias_m;
  const double *scale;
} fathom_anchors;

/* Rows of ranges, with the columns of ranges.csv. Required are a time and distance_m. */
typedef struct fathom_ranges {
  int64_t count;
  /* Nanoseconds, INT64_MIN for none; or seconds. */
  const int64_t *time_ns;
  const double *time_s;
  /* Indices of names; another number stands for a missing name. */
  const int32_t *tag;
  int64_t tag_count;
  const char *const *tag_name;
  const int32_t *anchor;
  int64_t anchor_count;
  const char *const *anchor_name;
  const double *distance_m;
  const double *sigma_m;
  const double *azimuth_rad;
  const double *elevation_rad;
  const double *direction_x;
  const double *direction_y;
  const double *direction_z;
  const double *horizontal_angle_rad;
  const double *vertical_estimate;
  const double *rssi_dbm;
  const double *rssi_first_path_dbm;
  const double *nlos;
  const double *truth_distance_m;
  const double *height_m;
  /* FATHOM_EVENT words by index, negative for none. */
  const int32_t *event;
  /* Line of each row in a file; NULL numbers rows from 2, as below a header. */
  const int64_t *line;
  /* Not 0 if a distance of exactly 0 is a measurement. */
  int32_t zero_is_distance;
} fathom_ranges;

/* The Arrow C data interface. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif

/* ---- Recordings ------------------------------------------------------------------------------------ */

/* Ranges with their anchors, in memory. */
typedef struct fathom_recording fathom_recording;

/* Reads a folder, a ranges file or a device log, as the tool does.

   anchors is the path of an anchors file or NULL; options is NULL or a JSON object with the options for
   reading: columns, distance_unit, angle_unit, time_unit, decimal_separator, delimiter, zero_is_distance,
   format, epoch_rate, block_duration. */
int32_t fathom_recording_read(
    const char *path, const char *anchors, const char *options, fathom_recording **recording);

/* Does the same with anchors in memory, which replace those of the recording; everything else that the
   recording states stays. */
int32_t fathom_recording_read_with(
    const char *path, const fathom_anchors *anchors, const char *options,
    fathom_recording **recording);

/* Creates a recording of rows in memory, which are validated like those of a file and copied.

   name stands for the path in messages. anchors may be NULL: positions are then relative to the device.
   metadata is NULL or a JSON object with the keys of recording.json, such as height_m. */
int32_t fathom_recording_create(
    const char *name, const fathom_ranges *ranges, const fathom_anchors *anchors,
    const char *metadata, fathom_recording **recording);

/* Does the same with the rows of a struct array whose fields have the names of fathom_ranges; time is
   time_s (floating point or a timestamp) or time_ns. Numbers may be of any primitive type; names are
   strings, dictionaries of strings, or integers. Columns of 64-bit numbers without nulls are read in
   place. Both structures are released, whatever the status. */
int32_t fathom_recording_from_arrow(
    const char *name, struct ArrowSchema *schema, struct ArrowArray *rows,
    const fathom_anchors *anchors, const char *metadata, fathom_recording **recording);

/* Makes a recording with a table beside the ranges of another: "heights", "odometry", "imu", "tdoa" or
   "poses". text has length bytes, CSV or JSON as in the file of that name, and replaces the other's own
   table. Ranges are shared, not copied. */
int32_t fathom_recording_with(
    const fathom_recording *other, const char *table, const char *text, int64_t length,
    fathom_recording **recording);

/* Reads an anchors file: a recording of these anchors without ranges. */
int32_t fathom_anchors_read(const char *path, fathom_recording **recording);

/* The usable rows: pointers into the recording. Columns without values are NULL. */
int32_t fathom_recording_ranges(const fathom_recording *recording, fathom_ranges *ranges);

/* The anchors: pointers into the recording. */
int32_t fathom_recording_anchors(const fathom_recording *recording, fathom_anchors *anchors);

/* Name, sources, height, notes, warnings, and rejected rows, as JSON. */
int32_t fathom_recording_info(const fathom_recording *recording, char **json);

void fathom_recording_free(fathom_recording *recording);

/* ---- Processing ------------------------------------------------------------------------------------ */

/* The results of a recording: those of `fathom process`. */
typedef struct fathom_result fathom_result;

/* Called from time to time with the share of the work that is done, 0 to 1; another value than 0 ends
   the call with FATHOM_CANCELLED. */
typedef int32_t (*fathom_progress)(double done, void *context);

/* Computes positions and smoothed distances.

   settings is NULL or a JSON object with keys of `settings` in summary.json: method ("filter", "smooth",
   "fix"), rate_hz, epoch_window_s, height_m, height_sigma_m, side, bounds_m, zones, smoothing,
   range_sigma_m, range_bias_m, kept_anchors, angle_sigma_rad, device_frame, heading_sigma_rad,
   acceleration_density, extra_columns. progress may be NULL. */
int32_t fathom_process(
    const fathom_recording *recording, const char *settings, fathom_progress progress,
    void *context, fathom_result **result);

/* All settings as JSON: "processing" for fathom_process and "reading" for fathom_recording_read, each with
   key, option of the tool, least and greatest number, and possible words. */
int32_t fathom_settings(char **json);

/* The columns of positions.csv. */
typedef struct fathom_positions {
  int64_t count;
  const int64_t *time_ns;
  /* Index among FATHOM_LOCATED names. */
  const int32_t *tag;
  const double *x_m;
  const double *y_m;
  const double *z_m;
  const double *sxx;
  const double *sxy;
  const double *sxz;
  const double *syy;
  const double *syz;
  const double *szz;
  const int32_t *ranges_used;
  const int32_t *ranges_rejected;
  /* Index among FATHOM_STATUS words. */
  const uint8_t *status;
  /* The other position of an ambiguous one; NaN without one. */
  const double *alt_x_m;
  const double *alt_y_m;
  const double *alt_z_m;
} fathom_positions;

/* The columns of distances.csv. */
typedef struct fathom_distances {
  int64_t count;
  const int64_t *time_ns;
  const int32_t *tag;
  const int32_t *anchor;
  const double *distance_m;
  const double *smoothed_m;
  const double *sigma_m;
  /* Indices among FATHOM_QUALITY, FATHOM_ZONE and FATHOM_DECISION words. */
  const uint8_t *quality;
  const uint8_t *zone;
  const double *azimuth_rad;
  const double *elevation_rad;
  const uint8_t *decision;
} fathom_distances;

int32_t fathom_result_positions(const fathom_result *result, fathom_positions *positions);
int32_t fathom_result_distances(const fathom_result *result, fathom_distances *distances);

/* Names of a result. */
enum { FATHOM_TAG = 0, FATHOM_ANCHOR = 1, FATHOM_LOCATED = 2 };

/* Name of a tag, anchor or located object; NULL for an index out of range. */
const char *fathom_result_name(const fathom_result *result, int32_t kind, int64_t index);

/* Words of the codes of all results and of events. */
enum {
  FATHOM_STATUS = 0,
  FATHOM_QUALITY = 1,
  FATHOM_ZONE = 2,
  FATHOM_DECISION = 3,
  FATHOM_EVENT = 4,
  FATHOM_VERDICT = 5,
  FATHOM_OUTCOME = 6,
  FATHOM_TRACK_STATUS = 7
};

/* The word of a code; NULL for an unknown code. */
const char *fathom_word(int32_t kind, int32_t code);

/* The summary with counts, calibration, diagnoses and warnings: summary.json on one line. */
int32_t fathom_result_summary(const fathom_result *result, char **json);

/* Files of results. */
enum {
  FATHOM_POSITIONS = 0,
  FATHOM_DISTANCES = 1,
  FATHOM_REJECTED = 2,
  FATHOM_ZONES = 3,
  FATHOM_SUMMARY = 4
};

/* The text of a file of results, byte for byte that of the tool, except that the summary has no paths
   and checksums of files. count may be NULL; the text ends with a zero byte. */
int32_t fathom_result_text(
    const fathom_result *result, int32_t table, char **text, int64_t *count);

/* Exports FATHOM_POSITIONS or FATHOM_DISTANCES through the Arrow C data interface, without copying the
   columns: they stay valid after the result is released. The caller releases both structures. */
int32_t fathom_result_arrow(
    const fathom_result *result, int32_t table, struct ArrowSchema *schema,
    struct ArrowArray *rows);

void fathom_result_free(fathom_result *result);

/* ---- Single epochs --------------------------------------------------------------------------------- */

/* Output of fathom_locate, each column with one element per epoch, or NULL if it is not wanted. */
typedef struct fathom_fixes {
  double *x_m;
  double *y_m;
  double *z_m;
  double *sxx;
  double *sxy;
  double *sxz;
  double *syy;
  double *syz;
  double *szz;
  double *misfit_m;
  double *alt_x_m;
  double *alt_y_m;
  double *alt_z_m;
  /* Index among FATHOM_VERDICT words. */
  uint8_t *verdict;
} fathom_fixes;

/* Computes one position per epoch from ranges to the same anchors.

   ranges has epochs rows of anchors->count numbers, row after row; NaN for absent ones. options is NULL
   or a JSON object: height_m, height_sigma_m, side, range_sigma_m, loss ("squared", "huber", "cauchy",
   "geman_mcclure", "tukey"), zero_is_distance. Names and survey errors of the anchors are not read. */
int32_t fathom_locate(
    const fathom_anchors *anchors, const double *ranges, int64_t epochs, const char *options,
    fathom_progress progress, void *context, const fathom_fixes *fixes);

/* ---- Live tracking --------------------------------------------------------------------------------- */

/* The track of one tag, range by range. */
typedef struct fathom_tracker fathom_tracker;

typedef struct fathom_estimate {
  int64_t time_ns;
  double position_m[3];
  double velocity_mps[3];
  /* xx, xy, xz, yy, yz, zz. */
  double covariance_m2[6];
  double alternative_m[3];
  /* Index among FATHOM_TRACK_STATUS words. */
  int32_t status;
} fathom_estimate;

/* settings is NULL or a JSON object with keys of those of fathom_process: height_m, height_sigma_m, side,
   bounds_m, range_sigma_m, acceleration_density, device_frame, angle_sigma_rad, heading_sigma_rad;
   and sensors, a list of
   the kinds of measurements beside ranges that will come: "height", "odometry", "inertial",
   "difference". Those of a kind that is not listed are invalid. */
int32_t fathom_tracker_create(
    const fathom_anchors *anchors, const char *settings, fathom_tracker **tracker);

/* Processes a range to the anchor of an index; sigma_m is NaN for the configured one. outcome may be
   NULL; it is an index among FATHOM_OUTCOME words. */
int32_t fathom_tracker_update(
    fathom_tracker *tracker, int64_t time_ns, int32_t anchor, double distance_m, double sigma_m,
    int32_t *outcome);

/* Returns 0 and the estimate at a time, not before the last range; -1 before the first one. */
int32_t fathom_tracker_estimate(
    const fathom_tracker *tracker, int64_t time_ns, fathom_estimate *estimate);

/* Processes many ranges, and stores the estimate after each; one without has coordinates of NaN and the
   status -1. sigma_m, outcome and estimates may be NULL. */
int32_t fathom_tracker_update_many(
    fathom_tracker *tracker, int64_t count, const int64_t *time_ns, const int32_t *anchor,
    const double *distance_m, const double *sigma_m, int32_t *outcome, fathom_estimate *estimates);

/* Kinds of measurements, with what anchor, other_anchor, sigma and values of a fathom_measurement are. */
enum {
  /* distance_m; sigma in metres. */
  FATHOM_RANGE = 0,
  /* The distance to anchor minus that to other_anchor, in metres. */
  FATHOM_DIFFERENCE = 1,
  /* azimuth_rad and elevation_rad of anchor in the frame of the device (NaN for one that was not
     measured), and the attitude of the device, qw, qx, qy, qz; sigma in radians. */
  FATHOM_DIRECTION = 2,
  /* height_m; sigma in metres. */
  FATHOM_HEIGHT = 3,
  /* forward_m, left_m and turn_rad (positive counter-clockwise) from begin_ns to time_ns. */
  FATHOM_ODOMETRY = 4,
  /* The specific force along x, y, z of the sensor in m/s^2, and the rotation rate in rad/s. */
  FATHOM_INERTIAL = 5,
  /* Nothing: after time_ns the tag may be anywhere. */
  FATHOM_INTERRUPTION = 6
};

/* A measurement of any kind; what its kind does not name is not read. sigma is NaN for the usual one. */
typedef struct fathom_measurement {
  int64_t time_ns;
  int64_t begin_ns;
  int32_t kind;
  int32_t anchor;
  int32_t other_anchor;
  double sigma;
  double values[6];
} fathom_measurement;

/* Processes measurements of all kinds, in order of time. outcome may be NULL; it has count indices among
   FATHOM_OUTCOME words. A kind that is unknown ends the call with FATHOM_USAGE; those before it are
   processed. */
int32_t fathom_tracker_measure(
    fathom_tracker *tracker, int64_t count, const fathom_measurement *measurements, int32_t *outcome);

/* Forgets all measurements. */
int32_t fathom_tracker_reset(fathom_tracker *tracker);

void fathom_tracker_free(fathom_tracker *tracker);

/* ---- Distances of one link ------------------------------------------------------------------------- */

/* Smooths the distances of one link with the two-state Kalman filter of distance and rate, or another
   method of `fathom process --smoothing`.

   settings is NULL or a JSON object: smoothing, range_sigma_m, acceleration_density. The outputs have
   count elements; sigma_m and rate_mps may be NULL. NaN marks absent and late distances. */
int32_t fathom_smooth(
    int64_t count, const int64_t *time_ns, const double *distance_m, const char *settings,
    double *smoothed_m, double *sigma_m, double *rate_mps);

/* ---- Truth ------------------------------------------------------------------------------------------ */

/* Positions of tags over time. The six covariances are all given or all NULL. */
typedef struct fathom_trajectory {
  int64_t count;
  const int64_t *time_ns;
  /* Index of the name, or NULL for one track without name. */
  const int32_t *tag;
  int64_t tag_count;
  const char *const *tag_name;
  const double *x_m;
  const double *y_m;
  const double *z_m;
  const double *sxx;
  const double *sxy;
  const double *sxz;
  const double *syy;
  const double *syz;
  const double *szz;
} fathom_trajectory;

/* True positions, with what the recording says about them. */
typedef struct fathom_truth fathom_truth;

/* Reads the truth of a recording's folder, or a file of positions (CSV, JSON Lines, TUM, EuRoC). */
int32_t fathom_truth_read(const char *path, fathom_truth **truth);

/* Creates truth from columns, which are copied. */
int32_t fathom_truth_create(const fathom_trajectory *positions, fathom_truth **truth);

/* Pointers into the truth, tag by tag. */
int32_t fathom_truth_positions(const fathom_truth *truth, fathom_trajectory *positions);

void fathom_truth_free(fathom_truth *truth);

/* Compares an estimate with truth. settings is NULL or a JSON object: longest_gap, is_horizontal,
   skip_first, time_offset, tag, maximum_difference, maximum_age, longest_latency, relative_distances,
   relative_times, and align ("rigid" or "scaled"). The result is the JSON of `fathom evaluate --json`,
   without paths. */
int32_t fathom_evaluate(
    const fathom_trajectory *estimate, const fathom_truth *truth, const char *settings,
    char **json);

/* ---- Planning and simulation ------------------------------------------------------------------------ */

/* Computes the accuracy that anchors can give, before installation. settings is NULL or a JSON object:
   height_m, solve_height, side, area_m ([[x, y], [x, y]]), step_m, noise_m, noise_per_metre,
   maximum_range_m, new_anchor_height_m. The result is the JSON of `fathom geometry --json`. */
int32_t fathom_geometry(const fathom_anchors *anchors, const char *settings, char **json);

/* Makes a recording and its truth from the text of a scenario in YAML. directory is the folder that
   paths in the scenario are relative to, or NULL. seed replaces that of the scenario unless it is
   negative. truth may be NULL. */
int32_t fathom_simulate(
    const char *scenario, const char *directory, int64_t seed, fathom_recording **recording,
    fathom_truth **truth);

#ifdef __cplusplus
}
#endif

#endif
