// The floor of `fathom process --method filter`: one recording from its text to both result files, by hand
// in plain C++ for this one shape, one thread.
//
// The same work: every byte of the ranges file is checked and every name numbered; every range updates
// a filter of position and velocity in space in two modes of motion (switching, mixed every 0.05 s),
// whose errors are Student's t with four degrees of freedom; every link smooths its distance, judges its
// freshest ones, follows zones, and counts what it loses, repeats and scatters (link.hpp); one row of
// positions with all six covariances and one row of distances for every range, numbers rounded to as many
// decimals; check sums of what was read and written, and a summary. What it says of links, Fathom says too.
//
// Left out: what becomes of bad rows (it ends at the first), names of more than eight bytes, quotes,
// units, files that are not in order; the estimate of noise and acceleration from the recording and the
// first look through it; the search for a start and for the mirrored position; gates, silences, events;
// and files that appear whole or not at all.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "link.hpp"
#include "text.hpp"
#include "track.hpp"

// usage: process FOLDER RESULTS
int main(int argc, char **argv) {
  if (argc != 3) return 64;
  const std::string folder = argv[1], results = argv[2];
  const Text anchorsText(folder + "/anchors.csv"), text(folder + "/ranges.csv");
  if (!anchorsText.begin || !text.begin) return 66;
  if (text.end[-1] != '\n') return 65;

  Names anchorNames, tagNames;
  std::vector<std::array<double, 3>> anchors;
  double centre[3] = {0, 0, 0};
  for (const char *at = behindLine(anchorsText.begin); at < anchorsText.end;) {
    const char *name = at;
    while (*at != ',') ++at;
    anchorNames.number({name, static_cast<size_t>(at++ - name)});
    std::array<double, 3> anchor;
    for (double &value : anchor) {
      at = std::from_chars(at, anchorsText.end, value).ptr;
      ++at;
    }
    anchors.push_back(anchor);
  }
  for (auto &anchor : anchors)
    for (int i = 0; i < 3; ++i) centre[i] += anchor[i] / static_cast<double>(anchors.size());

  Output positions(results + "/positions.csv",
                   "time_s,tag,x_m,y_m,z_m,sxx,sxy,sxz,syy,syz,szz,ranges_used,ranges_rejected,"
                   "status\n");
  Output distances(results + "/distances.csv",
                   "time_s,tag,anchor,distance_m,smoothed_m,sigma_m,quality,zone,azimuth_rad,"
                   "elevation_rad,decision\n");
  std::vector<Track> tracks;
  std::vector<Link> links;
  const std::string verdicts[] = {",unknown", ",good", ",close"};
  const std::string zones[] = {",outside,,,used\n", ",outer,,,used\n", ",inner,,,used\n"};
  Cells cells{behindLine(text.begin), text.begin};
  int64_t last = 0;
  size_t rows = 0;
  while (cells.at < text.end) {
    const char *const row = cells.at;
    const int64_t time = cells.number(',');
    const size_t tag = tagNames.number(cells.name());
    const size_t anchor = anchorNames.number(cells.name());
    const int64_t nanometres = cells.number('\n');
    if (time < last || anchor >= anchors.size() || nanometres == 0) endAtBadRow(row, text.begin);
    last = time;
    ++rows;
    const double distance = static_cast<double>(nanometres) / 1e9;
    if (tag == tracks.size()) {
      tracks.emplace_back();
      links.resize(links.size() + anchors.size());
    }
    Track &track = tracks[tag];
    if (!track.isStarted) track.start(time, centre);
    track.predict(time);
    track.update(distance, anchors[anchor].data());
    Link &link = links[tag * anchors.size() + anchor];
    link.statistics.record(distance, time);
    link.smoother.update(distance, time);
    link.zones.update(link.smoother.distance, time);
    const LinkVerdict::Value verdict = link.verdict.update(static_cast<float>(distance), time);

    double position[3], covariance[6];
    track.estimate(position, covariance);
    const auto whole = static_cast<uint64_t>(time / 1'000'000'000);
    const auto millis = static_cast<uint64_t>(time / 1'000'000 % 1000);
    positions.row();
    positions.whole(whole);
    positions.byte('.');
    positions.fraction(millis, 3);
    positions.byte(',');
    positions.text(tagNames.names[tag]);
    for (double value : position) {
      positions.byte(',');
      positions.decimal(value, 4, 1e4);
    }
    for (double value : covariance) {
      positions.byte(',');
      positions.decimal(value, 8, 1e8);
    }
    positions.text(",1,0,tracking\n", 14);
    distances.row();
    distances.whole(whole);
    distances.byte('.');
    distances.fraction(millis, 3);
    distances.byte(',');
    distances.text(tagNames.names[tag]);
    distances.byte(',');
    distances.text(anchorNames.names[anchor]);
    distances.byte(',');
    distances.decimal(distance, 4, 1e4);
    distances.byte(',');
    distances.decimal(std::fmax(link.smoother.distance, 0), 4, 1e4);
    distances.byte(',');
    distances.decimal(link.smoother.sigma, 4, 1e4);
    distances.text(verdicts[verdict]);
    distances.text(zones[link.zones.depth]);
  }

  Output summary(results + "/summary.txt", "");
  char line[200];
  const auto note = [&](int length) {
    summary.row();
    summary.text(line, static_cast<size_t>(length));
  };
  note(std::snprintf(
      line, sizeof line, "%zu rows, sums %016llx %016llx %016llx\n", rows,
      static_cast<unsigned long long>(
          XXH64(text.begin, static_cast<size_t>(text.end - text.begin), 0)),
      static_cast<unsigned long long>(positions.checkSum()),
      static_cast<unsigned long long>(distances.checkSum())));
  for (size_t index = 0; index < links.size(); ++index) {
    LinkStatistics &found = links[index].statistics;
    found.judge(last);
    const auto windows = static_cast<double>(found.judged);
    note(std::snprintf(
        line, sizeof line, "%s %s loss %.4f hold %.4f spread %.4f\n",
        tagNames.names[index / anchors.size()].c_str(),
        anchorNames.names[index % anchors.size()].c_str(), found.loss / windows, found.hold / windows,
        found.spread / windows));
  }
  return 0;
}
