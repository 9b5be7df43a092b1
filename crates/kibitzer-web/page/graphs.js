/** Graphs as SVG, with axes and units. Lines differ by dashes and marks, and carry their names, so that no color is needed. */
import { clockText } from './clocks.js';
import { svg } from './dom.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Game} Game */
/** @typedef {import('./state.js').Evaluation} Evaluation */
/** @typedef {[number, number]} Point */
/** @typedef {{name: string, points: Point[]}} Series */
/**
 * @typedef {{title: string, x: string, y: string, series: Series[], bottom?: number, breaks?: number[], times?: boolean}} Chart
 * `x` and `y` are the names of the axes with their units; `breaks` are lost connections; with `times`, y is in seconds
 */

const [LEFT, TOP, WIDTH, HEIGHT] = [44, 22, 290, 110];
/** The steps of an axis that shows minutes and seconds. */
const TIMES = [1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 36000];
/** A mate counts as so many pawns, and nothing counts as more. */
const MOST_PAWNS = 10;

/** Round steps for about four ticks. @param {number} low @param {number} high @param {boolean} [times] */
function ticks(low, high, times) {
    const raw = (high - low) / 4 || 1;
    const unit = 10 ** Math.floor(Math.log10(raw));
    const step = (times && TIMES.find((it) => it >= raw)) || unit * ([1, 2, 5].find((it) => it * unit >= raw) ?? 10);
    return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, n) => (Math.ceil(low / step) + n) * step);
}

/** @param {number} x @param {number} y @returns {Point} */
const point = (x, y) => [x, y];

/** @param {number} x @param {number} y @param {string} words @param {string} [anchor] */
const label = (x, y, words, anchor = 'start') => svg('text', { x, y, 'text-anchor': anchor }, words);

/** Draws a chart. A chart without points says so. @param {Chart} chart */
export function draw(chart) {
    const drawn = chart.series.filter((it) => it.points.length).map((it) => ({ ...it, last: it.points[it.points.length - 1] }));
    const points = drawn.flatMap((it) => it.points);
    const [x0, x1] = [Math.min(...points.map(([x]) => x)), Math.max(...points.map(([x]) => x))];
    const [y0, y1] = [Math.min(0, ...points.map(([, y]) => y)), Math.max(chart.bottom ?? 1, ...points.map(([, y]) => y))];
    const px = (/** @type {number} */ x) => LEFT + ((x - x0) / (x1 - x0 || 1)) * WIDTH;
    const py = (/** @type {number} */ y) => TOP + HEIGHT - ((y - y0) / (y1 - y0 || 1)) * HEIGHT;
    const write = (/** @type {number} */ y) => (chart.times ? clockText(y * 1000) : String(Math.round(y * 100) / 100));
    const lasts = drawn.map((it) => `${it.name} ${write(it.last[1])}`).join(', ') || 'no data yet';
    const words = `${chart.title}. ${chart.x}, ${points.length} points; ${chart.y}. Last: ${lasts}`;
    const box = `0 0 ${LEFT + WIDTH + 68} ${TOP + HEIGHT + 34}`;
    const title = label(0, 12, `${chart.title} (${chart.y})`);
    const none = points.length ? '' : label(LEFT, TOP + HEIGHT / 2, 'no data yet');
    const root = svg('svg', { class: 'chart', viewBox: box, role: 'img', 'aria-label': words }, title, none);
    if (none) return root;
    for (const y of ticks(y0, y1, chart.times)) {
        root.append(svg('path', { class: y === 0 ? 'axis' : 'rule', d: `M${LEFT} ${py(y)}h${WIDTH}` }));
        root.append(label(LEFT - 4, py(y) + 4, write(y), 'end'));
    }
    for (const x of ticks(x0, x1).filter(Number.isInteger)) {
        root.append(svg('path', { class: 'axis', d: `M${px(x)} ${TOP + HEIGHT}v4` }), label(px(x), TOP + HEIGHT + 16, String(x), 'middle'));
    }
    for (const x of (chart.breaks ?? []).filter((it) => it >= x0 && it <= x1)) {
        root.append(svg('path', { class: 'break', d: `M${px(x)} ${TOP}v${HEIGHT}` }), label(px(x), TOP + 8, '× lost', 'middle'));
    }
    let below = -Infinity;
    for (const { name, points: line, last } of drawn.sort((a, b) => b.last[1] - a.last[1])) {
        const second = name !== chart.series[0].name;
        const [x, y] = [px(last[0]), py(last[1])];
        const path = line.map((it) => `${px(it[0]).toFixed(1)},${py(it[1]).toFixed(1)}`).join(' ');
        const end = second ? svg('rect', { x: x - 3, y: y - 3, width: 6, height: 6 }) : svg('circle', { cx: x, cy: y, r: 3.5 });
        end.classList.add('end');
        // Names that would cover each other stand below each other.
        below = Math.max(below + 13, y + 4);
        root.append(svg('polyline', { class: second ? 'series dashed' : 'series', points: path }), end, label(x + 7, below, name));
    }
    root.append(label(LEFT + WIDTH / 2, TOP + HEIGHT + 30, chart.x, 'middle'));
    return root;
}

/** The charts of a session and of one game. @param {State} state @param {Game | null} game @returns {Chart[]} */
export function charts(state, game) {
    /** @param {string} name @param {string} key @returns {Series} */
    const clock = (name, key) => {
        const known = (game?.plies ?? []).filter((it) => it.board[key] !== null);
        return { name, points: known.map((it) => point(it.ply / 2, it.board[key] / 1000)) };
    };
    const pawns = (/** @type {Evaluation} */ it) => (it.mate === null ? (it.cp ?? 0) / 100 : Math.sign(it.mate) * MOST_PAWNS);
    const score = (/** @type {Evaluation} */ it) => Math.max(-MOST_PAWNS, Math.min(pawns(it), MOST_PAWNS));
    const scores = (game?.evaluations ?? []).map((it) => point(it.ply / 2, score(it)));
    /** @param {string} name @param {import('./state.js').Sample[]} all @returns {Series} */
    const samples = (name, all) => ({ name, points: all.map((it) => point(it.t, it.value)) });
    // The second that goes on is not counted yet; one without an event is zero.
    const end = state.rates.at(-1)?.t ?? 0;
    const length = Math.min(600, end - (state.rates[0]?.t ?? 0));
    const seconds = new Map(state.rates.map((it) => [it.t, it]));
    const rate = (/** @type {'events' | 'bytes'} */ name, /** @type {number} */ unit) => {
        const times = Array.from({ length }, (_, n) => end - length + n);
        return [{ name, points: times.map((t) => point(t, (seconds.get(t)?.[name] ?? 0) / unit)) }];
    };
    const session = { x: 'time of the session, s', breaks: state.breaks };
    const title = game ? `Clocks, ${game.white} – ${game.black}` : 'Clocks';
    return [
        { title, x: 'move', y: 'min:s', times: true, series: [clock('White', 'white_clock_ms'), clock('Black', 'black_clock_ms')] },
        { title: 'Evaluation', x: 'move', y: 'pawns, + is good for White', bottom: 0, series: [{ name: 'score', points: scores }] },
        { title: 'Round trip and lag', y: 'ms', series: [samples('round trip', state.roundTrips), samples('lag', state.lags)], ...session },
        { title: 'Events', y: 'per second', series: rate('events', 1), ...session },
        { title: 'Received', y: 'kB per second', series: rate('bytes', 1000), ...session },
    ];
}
