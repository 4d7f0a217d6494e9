// What is drawn of a run: segments, the chart, the page's numbers, the drawing.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "observe/picture_recorder.h"
#include "output/output.h"
#include "report/gantt/gantt_chart.h"
#include "report/gantt/gantt_drawing.h"
#include "run/simulation.h"
#include "unit/sim_helpers.h"

namespace gantt_test {

using namespace coslice;
using namespace coslice::test;

namespace {

struct Watched {
  std::unique_ptr<Workload> workload;
  RunResult result;
  Segments segments;
  std::vector<Duration> overhead;
  GanttSlicing slicing;
};

SliceOptions half_hours() {
  SliceOptions o;
  o.interval = whole_seconds(1800);
  o.classes = {{"short", whole_seconds(600), 0, true, whole_seconds(600)},
               {"medium", whole_seconds(10800), 0.3, false, {}},
               {"long", Duration::max(), 0.7, false, {}}};
  return o;
}

Watched watch_plain(Workload w, int nodes) {
  Watched out;
  out.workload = std::make_unique<Workload>(std::move(w));
  QueueScheduler scheduler(easy());
  Simulation simulation({nodes}, out.workload->jobs, scheduler, {});
  Recorder recorder(*out.workload, {nodes});
  SegmentRecorder segments(out.workload->jobs.size());
  simulation.add(recorder);
  simulation.add(segments);
  simulation.run();
  out.result = recorder.take();
  out.segments = segments.take();
  return out;
}

Watched watch_sliced(Workload w, int nodes, const SliceOptions& options) {
  Watched out;
  out.workload = std::make_unique<Workload>(std::move(w));
  std::vector<std::unique_ptr<QueueScheduler>> schedulers;
  std::vector<Scheduler*> pointers;
  for (std::size_t i = 0; i != options.classes.size(); ++i) {
    schedulers.push_back(std::make_unique<QueueScheduler>(conservative()));
    pointers.push_back(schedulers.back().get());
  }
  Simulation simulation({nodes}, out.workload->jobs, pointers, options, {});
  Recorder recorder(*out.workload, {nodes});
  SegmentRecorder segments(out.workload->jobs.size());
  simulation.add(recorder);
  simulation.add(segments);
  simulation.run();
  out.result = recorder.take();
  out.overhead = simulation.memory().overhead();
  out.segments = segments.take();
  out.slicing = {options.classes, options.overhead};
  return out;
}

Workload spread_over_classes(unsigned seed, int nodes) {
  Workload w = random_workload(seed, 60, nodes);
  for (Job& job : w.jobs) {
    job.runtime *= 1 + (seed * 7919 + job.id * 104729) % 1500;
    job.limit = std::max(job.limit, job.limit * static_cast<std::int64_t>((seed + job.id) % 1500));
    job.submit = Time{job.submit.time_since_epoch() * 300};
  }
  return w;
}

NodeRanges nodes_of(const Watched& w, JobIndex j) { return w.result.archive.get(w.result.outcomes[j].nodes); }

/// No node does two things at once in one lane.
void check_no_overlap(const Watched& w) {
  std::map<NodeId, Time> busy_until;
  for (const Segment& s : w.segments.pieces) {
    REQUIRE(s.from < s.to);
    const NodeRanges nodes = nodes_of(w, s.job);
    for (const NodeRange& r : nodes.ranges())
      for (NodeId n = r.first; n <= r.last; ++n) {
        const auto last = busy_until.find(n);
        if (last != busy_until.end()) REQUIRE(last->second <= s.from);
        busy_until[n] = s.to;
      }
  }
}

/// All of a job's time on its nodes is drawn: its work, loading, and work added for writing memory out.
void check_sums(const Watched& w) {
  std::vector<Duration> drawn(w.workload->jobs.size());
  Duration loading{0}, swapped{0}, overhead{0};
  for (const Segment& s : w.segments.pieces) {
    drawn[s.job] += s.to - s.from;
    if (s.loading) loading += s.to - s.from;
  }
  for (const SwapOut& s : w.segments.swaps) swapped += s.time;
  for (JobIndex j = 0; j != drawn.size(); ++j) {
    const Job& job = w.workload->jobs[j];
    const Duration extra = w.overhead.empty() ? Duration{0} : w.overhead[j];
    overhead += extra;
    CHECK(drawn[j] == std::min(job.runtime, job.limit) + extra);
  }
  CHECK(loading + swapped == overhead);
}

Segments copy(const Watched& w) { return w.segments; }

GanttOptions named(std::string policy) {
  GanttOptions o;
  o.policy = std::move(policy);
  return o;
}

/// The columns of a page, read back as the page does.
std::map<std::string, std::vector<std::int64_t>> read_back(const GanttColumns& columns) {
  std::map<std::string, std::vector<std::int64_t>> out;
  std::size_t at = 0;
  for (const auto& c : nlohmann::json::parse(columns.directory)) {
    std::vector<std::int64_t>& column = out[c["name"].get<std::string>()];
    std::int64_t before = 0;
    for (std::size_t i = 0; i != c["count"].get<std::size_t>(); ++i) {
      std::uint64_t n = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(columns.bytes.at(at++));
        n |= std::uint64_t{byte & 127u} << shift;
        if (byte < 128) break;
      }
      const auto value = static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
      before = c["delta"].get<bool>() ? before + value : value;
      column.push_back(before);
    }
  }
  CHECK(at == columns.bytes.size());
  return out;
}

std::string unzipped(const std::string& packed, std::size_t size) {
  std::string out(size + 1, '\0');
  z_stream z{};
  REQUIRE(inflateInit2(&z, 31) == Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  z.avail_in = static_cast<uInt>(packed.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  inflateEnd(&z);
  return out;
}

std::string html(const GanttChart& chart) {
  std::string out;
  write_gantt_html(chart, sink_to(out));
  return out;
}

std::string svg(const GanttChart& chart) {
  std::string out;
  write_gantt_svg(chart, sink_to(out));
  return out;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("segments of random workloads: no overlap, and all of every job's time", "[gantt][property]") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const int nodes = 1 + static_cast<int>(seed % 12);
    INFO("seed " << seed << " nodes " << nodes);
    const Watched plain = watch_plain(random_workload(seed, 80, nodes), nodes);
    check_no_overlap(plain);
    check_sums(plain);
    SliceOptions options = half_hours();
    options.overhead = whole_seconds(seed % 3 == 0 ? 0 : 60);
    options.charge_continuing = seed % 5 != 0;
    if (seed % 2 == 0) {
      options.overhead = Duration{0};
      options.memory = whole_seconds(100);
      options.memory_of = [](const View&, JobIndex j) { return whole_seconds(10 + (j * 37) % 91); };
    }
    const Watched sliced = watch_sliced(spread_over_classes(seed, nodes), nodes, options);
    check_no_overlap(sliced);
    check_sums(sliced);
    for (const Segment& s : sliced.segments.pieces) CHECK(s.slice >= 0);
  }
}

TEST_CASE("a long job: foreign in medium slices, time lost at their ends", "[gantt]") {
  SliceOptions options = half_hours();
  options.interval = whole_seconds(3600);
  const Watched w = watch_sliced(workload({{0, 2, 5000, 11000}}), 4, options);
  const GanttChart chart = gantt_chart(w.result, {}, copy(w), w.slicing, named("p"));
  REQUIRE(chart.bars.size() == 4);  // as hand-worked in slices_test.cpp
  const long from[] = {0, 1080, 3600, 4680}, to[] = {1020, 3540, 4620, 5180};
  for (std::size_t i = 0; i != 4; ++i) {
    CHECK(to_seconds(chart.bars[i].from) == from[i]);
    CHECK(to_seconds(chart.bars[i].to) == to[i]);
    CHECK(chart.bars[i].foreign == (i % 2 == 0));
  }
  CHECK(chart.classes == std::vector<std::string>{"short", "medium", "long"});
  CHECK(chart.class_of[0] == 2);
  REQUIRE(chart.slices.size() == 4);
  CHECK(to_seconds(chart.slices[0].productive_end) == 1020);
  CHECK(to_seconds(chart.slices[0].end) == 1080);
  CHECK(chart.rectangles() == 4);
}

TEST_CASE("a window leaves out what is over and what comes later", "[gantt]") {
  const Watched w = watch_plain(workload({{0, 2, 100}, {10, 2, 100}, {20, 2, 100}, {400, 1, 10}}), 2);
  GanttOptions options = named("easy");
  options.from = Time{whole_seconds(150)};
  options.to = Time{whole_seconds(180)};
  const GanttChart chart = gantt_chart(w.result, {}, copy(w), {}, options);
  CHECK(chart.bars.size() == 1);
  CHECK(chart.jobs == std::vector<JobIndex>{1, 2});  // the third one waits
  CHECK(chart.bars[0].job == 0);
  CHECK(chart.timeline.front().queue == 1);
  options.from = Time{whole_seconds(1000)};
  options.to = kNever;
  CHECK_THROWS_AS(gantt_chart(w.result, {}, copy(w), {}, options), InputError);
}

TEST_CASE("numbers of any size and sign survive packing", "[gantt]") {
  GanttColumns columns;
  const std::vector<std::int64_t> numbers = {0,         -1,       1, 63, 64, -64, -65, 1'000'000'007, -5'000'000'000,
                                             INT64_MAX, INT64_MIN};
  for (const std::int64_t n : numbers) append_varint(columns.bytes, n);
  columns.directory = "[{\"name\": \"x\", \"count\": " + std::to_string(numbers.size()) + ", \"delta\": false}]";
  CHECK(read_back(columns)["x"] == numbers);
  std::string long_text;
  for (int i = 0; i != 400'000; ++i) long_text += std::to_string(i % 1000 * 7919 % 1000);
  CHECK(unzipped(gzip(long_text), long_text.size()) == long_text);
  CHECK(unzipped(gzip(""), 0).empty());
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(csp_hash("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
}

TEST_CASE("the page's columns give back the run", "[gantt]") {
  SliceOptions options = half_hours();
  options.overhead = Duration{0};
  options.memory = whole_seconds(100);
  options.memory_of = [](const View&, JobIndex j) { return whole_seconds(10 + (j * 37) % 91); };
  const Watched w = watch_sliced(spread_over_classes(4, 9), 9, options);
  const GanttChart chart = gantt_chart(w.result, {}, copy(w), w.slicing, named("p"));
  const GanttColumns columns = gantt_columns(chart);
  CHECK(columns.tick == 1'000'000);  // shares of half hours are no whole seconds
  auto c = read_back(columns);
  REQUIRE(c["bar.job"].size() == w.segments.pieces.size());
  for (std::size_t i = 0; i != w.segments.pieces.size(); ++i) {
    const Segment& s = w.segments.pieces[i];
    REQUIRE(static_cast<JobIndex>(c["bar.job"][i]) == s.job);
    REQUIRE(c["bar.from"][i] + c["job.submit"][s.job] + c["job.wait"][s.job] ==
            (s.from.time_since_epoch().count() + 500'000) / 1'000'000);
    REQUIRE((c["bar.kind"][i] & 1) == (s.loading ? 1 : 0));
    REQUIRE(c["bar.lanes"][i] == 1);
    const auto tick = [](Time t) { return (t.time_since_epoch().count() + 500'000) / 1'000'000; };
    REQUIRE(c["bar.length"][i] + c["job.stay"][s.job] == tick(s.to) - tick(s.from));
  }
  std::size_t range = 0;
  for (JobIndex j = 0; j != w.workload->jobs.size(); ++j) {
    NodeRanges nodes;
    for (std::int64_t r = 0; r != c["set.ranges"][j]; ++r, ++range) {
      const auto first = static_cast<NodeId>(c["range.first"][range]);
      nodes.append(first, first + static_cast<NodeId>(c["range.length"][range]) - 1);
    }
    REQUIRE(nodes == nodes_of(w, j));
    REQUIRE(c["job.id"][j] == w.workload->jobs[j].id);
    const std::int64_t runtime = c["job.runtime"][j] + c["job.stay"][j];
    REQUIRE(runtime == w.workload->jobs[j].runtime.count() / 1'000'000);
    REQUIRE(c["job.limit"][j] + runtime == w.workload->jobs[j].limit.count() / 1'000'000);
  }
  CHECK(c["swap.job"].size() == w.segments.swaps.size());
  CHECK_FALSE(w.segments.swaps.empty());
}

namespace {

/// Bars of jobs that may share nodes, at random.
GanttChart crowded(unsigned seed, const RunResult& result) {
  std::mt19937 random(seed);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  GanttChart chart;
  chart.result = &result;
  for (JobIndex j = 0; j != 12; ++j) {
    NodeRanges nodes;
    for (NodeId n = 0; n != result.machine.nodes; ++n)
      if (upto(3) == 0 || (nodes.empty() && n + 1 == result.machine.nodes)) nodes.append(n, n);
    chart.jobs.push_back(j);
    chart.nodes.push_back(nodes);
    for (int t = upto(20); t < 60; t += 1 + upto(20)) {
      const int length = 1 + upto(15);
      chart.bars.push_back({j, Time{whole_seconds(t)}, Time{whole_seconds(t + length)}});
      t += length;
    }
  }
  std::sort(chart.bars.begin(), chart.bars.end(), [](const GanttBar& a, const GanttBar& b) { return a.from < b.from; });
  return chart;
}

/// The jobs on a node in each second: which, where in the node its part begins, how large it is.
std::map<std::pair<NodeId, int>, std::vector<std::array<double, 3>>> seconds_of(const GanttChart& chart) {
  std::map<std::pair<NodeId, int>, std::vector<std::array<double, 3>>> out;
  for (const GanttBar& b : chart.bars) {
    const NodeRanges nodes = chart.nodes_of(b);
    for (const NodeRange& r : nodes.ranges())
      for (NodeId n = r.first; n <= r.last; ++n)
        for (int t = static_cast<int>(to_seconds(b.from)); t < to_seconds(b.to); ++t)
          out[{n, t}].push_back({double(b.job), double(b.lane) / b.lanes, 1.0 / b.lanes});
  }
  for (auto& [place, who] : out) std::sort(who.begin(), who.end());
  return out;
}

}  // namespace

TEST_CASE("jobs that share a node lie side by side, and nothing of them is lost", "[gantt][property]") {
  RunResult result;
  result.machine.nodes = 6;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    GanttChart chart = crowded(seed, result);
    const auto before = seconds_of(chart);
    split_into_lanes(chart);
    const auto after = seconds_of(chart);
    REQUIRE(before.size() == after.size());
    for (const auto& [place, who] : after) {
      const auto& expected = before.at(place);
      REQUIRE(who.size() == expected.size());
      std::vector<double> begins;
      for (std::size_t i = 0; i != who.size(); ++i) {
        REQUIRE(who[i][0] == expected[i][0]);
        REQUIRE(who[i][2] == 1.0 / static_cast<double>(who.size()));
        begins.push_back(who[i][1]);
      }
      std::sort(begins.begin(), begins.end());
      REQUIRE(std::adjacent_find(begins.begin(), begins.end()) == begins.end());
    }
    for (std::size_t i = 1; i < chart.bars.size(); ++i) REQUIRE(chart.bars[i - 1].from <= chart.bars[i].from);
  }
}

TEST_CASE("the page holds everything and nothing can break out of its places", "[gantt]") {
  const Watched w = watch_plain(workload({{0, 2, 100}, {10, 1, 50}}), 2);
  GanttOptions options = named("easy");
  options.title = "</script><b>&{{data}}";
  const std::string page = html(gantt_chart(w.result, {}, copy(w), {}, options));
  CHECK(count(page, "</script>") == 3);
  CHECK(count(page, "<b>") == 0);
  CHECK(page.find("&lt;/script&gt;&lt;b&gt;&amp;{{data}}") != std::string::npos);
  CHECK(count(page, "http://") == 1);  // the name of SVG in the icon
  CHECK(count(page, "https://") == 0);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  const std::size_t script = page.rfind("<script>") + 8;
  const std::string text = page.substr(script, page.rfind("</script>") - script);
  CHECK(page.find("script-src " + csp_hash(text)) != std::string::npos);
}

TEST_CASE("the drawing of a small run, and what it refuses", "[gantt]") {
  const Watched w = watch_plain(workload({{0, 2, 100}, {10, 1, 50}, {10, 1, 5000}}), 3);
  const std::string drawing = svg(gantt_chart(w.result, {}, copy(w), {}, named("easy")));
  CHECK(count(drawing, "<g><title>job ") == 3);
  CHECK(count(drawing, "<title>") == 4);
  CHECK(drawing.find("<title>job 3, medium, 1 node: submitted 10 s") != std::string::npos);
  CHECK(drawing.find("tiny, easy") != std::string::npos);
  Watched many = watch_plain(random_workload(3, 6000, 4), 4);
  try {
    svg(gantt_chart(many.result, {}, copy(many), {}, named("easy")));
    FAIL("drawn");
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).find("draw an .html") != std::string::npos);
  }
}

TEST_CASE("the drawing for paper of a long run grows with its sheet, not with its jobs, and keeps the peak",
          "[gantt]") {
  const Watched w = watch_plain(random_workload(3, 6000, 4), 4);
  const GanttChart chart = gantt_chart(w.result, {}, copy(w), {}, named("easy"));
  std::string drawing;
  write_gantt_print(chart, sink_to(drawing));
  REQUIRE(chart.timeline.size() > 6000);
  const std::string queue = drawing.substr(0, drawing.find("class=\"queue\""));
  const std::string path = queue.substr(queue.rfind("<path"));
  CHECK(path.size() < 40'000);
  // The longest queue reaches the top, 64 above the axis where nothing waits.
  const double axis = std::stod(path.substr(path.find(' ', path.find("d=\"")) + 1));
  CHECK(path.find(fmt::format("V{:.2f}", axis - 64)) != std::string::npos);
}

}  // namespace gantt_test
