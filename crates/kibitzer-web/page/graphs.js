/** Graphs as SVG, with axes and units. Lines differ by dashes and marks, and carry their names, so that no color is needed. */
import { clockText } from './clocks.js';
import { svg } from './dom.js';

/** @typedef {{name: string, points: [number, number][]}} Series */
/** @typedef {{title: string, x: string, y: string, series: Series[], zero?: boolean, breaks?: number[], tick?: (y: number) => string}} Chart */

const [LEFT, TOP, WIDTH, HEIGHT] = [44, 22, 290, 110];
/** The steps of an axis that shows minutes and seconds. */
const TIMES = [1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 36000];

/** Round steps for about four ticks. @param {number} low @param {number} high @param {boolean} times */
function ticks(low, high, times) {
    const raw = (high - low) / 4 || 1;
    const unit = 10 ** Math.floor(Math.log10(raw));
    const step = (times && TIMES.find((it) => it >= raw)) || unit * ([1, 2, 5].find((it) => it * unit >= raw) ?? 10);
    return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, n) => (Math.ceil(low / step) + n) * step);
}

/** Draws a chart. A chart without points says so. @param {Chart} chart */
export function draw(chart) {
    const points = chart.series.flatMap((series) => series.points);
    const xs = points.map(([x]) => x);
    const ys = points.map(([, y]) => y);
    const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
    const [y0, y1] = [Math.min(0, ...ys), Math.max(chart.zero ? 0 : 1, ...ys)];
    const px = (/** @type {number} */ x) => LEFT + ((x - x0) / (x1 - x0 || 1)) * WIDTH;
    const py = (/** @type {number} */ y) => TOP + HEIGHT - ((y - y0) / (y1 - y0 || 1)) * HEIGHT;
    const tick = chart.tick ?? ((y) => String(Math.round(y * 100) / 100));
    const lasts = chart.series.filter((it) => it.points.length).map((it) => `${it.name} ${tick(/** @type {[number, number]} */ (it.points.at(-1))[1])}`);
    const label = `${chart.title}. ${chart.x} from ${x0} to ${x1}; ${chart.y}. Last: ${lasts.join(', ')}`;
    const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ words, anchor = 'start') => svg('text', { x, y, 'text-anchor': anchor }, words);
    const root = svg('svg', { class: 'chart', viewBox: `0 0 ${LEFT + WIDTH + 68} ${TOP + HEIGHT + 34}`, role: 'img', 'aria-label': points.length ? label : `${chart.title}: no data` });
    root.append(text(0, 12, `${chart.title} (${chart.y})`));
    if (!points.length) {
        root.append(text(LEFT, TOP + HEIGHT / 2, 'no data yet'));
        return root;
    }
    for (const y of ticks(y0, y1, Boolean(chart.tick))) {
        root.append(svg('path', { class: y === 0 ? 'axis' : 'rule', d: `M${LEFT} ${py(y)}h${WIDTH}` }), text(LEFT - 4, py(y) + 4, tick(y), 'end'));
    }
    for (const x of ticks(x0, x1, false).filter(Number.isInteger)) {
        root.append(svg('path', { class: 'axis', d: `M${px(x)} ${TOP + HEIGHT}v4` }), text(px(x), TOP + HEIGHT + 16, String(x), 'middle'));
    }
    for (const x of (chart.breaks ?? []).filter((it) => it >= x0 && it <= x1)) {
        root.append(svg('path', { class: 'break', d: `M${px(x)} ${TOP}v${HEIGHT}` }), text(px(x), TOP + 8, '× lost', 'middle'));
    }
    let below = -Infinity;
    chart.series.filter((series) => series.points.length).sort((a, b) => (b.points.at(-1)?.[1] ?? 0) - (a.points.at(-1)?.[1] ?? 0)).forEach((series) => {
        const index = chart.series.indexOf(series);
        const [x, y] = /** @type {[number, number]} */ (series.points.at(-1));
        root.append(svg('polyline', { class: `series s${index}`, points: series.points.map((it) => `${px(it[0]).toFixed(1)},${py(it[1]).toFixed(1)}`).join(' ') }));
        root.append(index ? svg('rect', { class: 'end', x: px(x) - 3, y: py(y) - 3, width: 6, height: 6 }) : svg('circle', { class: 'end', cx: px(x), cy: py(y), r: 3.5 }));
        below = Math.max(below + 13, py(y) + 4);
        root.append(text(px(x) + 7, below, series.name));
    });
    root.append(text(LEFT + WIDTH / 2, TOP + HEIGHT + 30, chart.x, 'middle'));
    return root;
}

/** The charts of a session and of one game. @param {import('./state.js').State} state @param {import('./state.js').Game | null} game @returns {Chart[]} */
export function charts(state, game) {
    const clock = (/** @type {string} */ color) => /** @type {[number, number][]} */ (
        (game?.plies ?? []).filter((it) => it.board[`${color}_clock_ms`] !== null).map((it) => [it.ply / 2, it.board[`${color}_clock_ms`] / 1000]));
    // Ten pawns stand for a mate: what lies beyond decides nothing.
    const score = (/** @type {import('./state.js').Evaluation} */ it) => (it.mate !== null ? Math.sign(it.mate) * 10 : Math.min(10, Math.max(-10, (it.cp ?? 0) / 100)));
    const samples = (/** @type {import('./state.js').Sample[]} */ all) => all.map((it) => /** @type {[number, number]} */ ([it.t, it.value]));
    // The second that goes on is not counted yet; one without an event is zero.
    const [first, end] = [state.rates[0]?.t ?? 0, state.rates.at(-1)?.t ?? 0];
    const seconds = new Map(state.rates.map((it) => [it.t, it]));
    const rates = Array.from({ length: Math.min(600, end - first) }, (_, n) => end - Math.min(600, end - first) + n).map((t) => ({ t, events: 0, bytes: 0, ...seconds.get(t) }));
    const over = { x: 'time of the session, s', breaks: state.breaks };
    const of = game ? `, ${game.white} – ${game.black}` : '';
    return [
        { title: `Clocks${of}`, x: 'move', y: 'min:s', series: [{ name: 'White', points: clock('white') }, { name: 'Black', points: clock('black') }], tick: (y) => clockText(y * 1000) },
        { title: 'Evaluation', x: 'move', y: 'pawns, + is good for White', zero: true, series: [{ name: 'score', points: (game?.evaluations ?? []).map((it) => [it.ply / 2, score(it)]) }] },
        { title: 'Round trip and lag', y: 'ms', series: [{ name: 'round trip', points: samples(state.roundTrips) }, { name: 'lag', points: samples(state.lags) }], ...over },
        { title: 'Events', y: 'per second', series: [{ name: 'events', points: rates.map((it) => [it.t, it.events]) }], ...over },
        { title: 'Received', y: 'kB per second', series: [{ name: 'bytes', points: rates.map((it) => [it.t, it.bytes / 1000]) }], ...over },
    ];
}
