/** The time line of a recording: where events are dense, where something was lost, and how it is played. */
import { clockText } from './clocks.js';
import { getJson } from './connection.js';
import { byId, html, setText, svg } from './dom.js';

export class Timeline {
    /** @param {(body: object) => void} control */
    constructor(control) {
        this.range = /** @type {HTMLInputElement} */ (/** @type {unknown} */ (byId('seek')));
        const seek = (/** @type {number} */ t) => control({ control: 'seek', t });
        this.range.addEventListener('input', () => { this.held = true; setText(byId('time'), clockText(Number(this.range.value) * 1000)); });
        this.range.addEventListener('change', () => { this.held = false; seek(Number(this.range.value)); });
        for (const name of ['play', 'pause', 'step', 'back']) {
            byId(name).addEventListener('click', () => control({ control: name }));
        }
        byId('speed').addEventListener('change', (event) => control({ control: 'speed', rate: Number(/** @type {HTMLSelectElement} */ (event.target).value) }));
        byId('marks').addEventListener('change', (event) => seek(Number(/** @type {HTMLSelectElement} */ (event.target).value)));
        this.held = false;
        this.loaded = false;
    }

    async load() {
        this.loaded = true;
        const { duration_s: duration, bins, marks } = await getJson('timeline');
        const most = Math.max(1, ...bins);
        this.range.max = String(duration);
        const bars = bins.map((/** @type {number} */ n, /** @type {number} */ index) => {
            const height = n && 4 + 26 * Math.sqrt(n / most);
            return svg('rect', { x: index, y: 30 - height, width: 1, height });
        });
        const lost = marks.map((/** @type {{t: number, event: string}} */ mark) =>
            svg('path', { class: 'break', d: `M${(mark.t / (duration || 1)) * bins.length} 0v30` }, svg('title', {}, mark.event)));
        byId('density').replaceChildren(svg('svg', { viewBox: `0 0 ${bins.length} 30`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `Events over ${duration} s, ${marks.length} marks` }, ...bars, ...lost));
        byId('marks').append(...marks.map((/** @type {{t: number, event: string}} */ mark) => html('option', { value: mark.t }, `${clockText(mark.t * 1000)} ${mark.event}`)));
    }

    /** @param {import('./state.js').State} state @param {number} now */
    render(state, now) {
        const recording = state.source.kind === 'recording';
        byId('timeline').hidden = !recording;
        if (!recording) return;
        if (!this.loaded) this.load();
        if (!this.held) {
            this.range.value = String(now);
            this.range.setAttribute('aria-valuetext', clockText(now * 1000));
            setText(byId('time'), clockText(now * 1000));
        }
        const playing = state.line.state === 'playing';
        byId('play').hidden = playing;
        byId('pause').hidden = !playing;
        byId('timeline').toggleAttribute('inert', !state.tokens.control);
    }
}
