/** The time line of a recording: where events are dense, where something was lost, and how it is played. */
import { clockText } from './clocks.js';
import { getJson } from './connection.js';
import { byId, html, input, setText, svg } from './dom.js';

export class Timeline {
    /** @param {(body: object) => void} control */
    constructor(control) {
        this.range = input('seek');
        this.held = false;
        this.loaded = false;
        this.range.addEventListener('input', () => { this.held = true; });
        this.range.addEventListener('change', () => { this.held = false; });
        for (const id of ['seek', 'marks']) byId(id).addEventListener('change', () => control({ control: 'seek', t: +input(id).value }));
        for (const name of ['play', 'pause', 'step', 'back']) byId(name).addEventListener('click', () => control({ control: name }));
        byId('speed').addEventListener('change', () => control({ control: 'speed', rate: Number(input('speed').value) }));
    }

    async load() {
        this.loaded = true;
        /** @type {{duration_s: number, bins: number[], marks: {t: number, event: string}[]}} */
        const { duration_s: duration, bins, marks } = await getJson('timeline');
        this.range.max = String(duration);
        const heights = bins.map((n) => n && 4 + 26 * Math.sqrt(n / Math.max(...bins)));
        const bars = heights.map((height, x) => svg('rect', { x, y: 30 - height, width: 1, height }));
        const breaks = marks.map((mark) => svg('path', { class: 'break', d: `M${(mark.t / (duration || 1)) * bins.length} 0v30` }));
        const words = { role: 'img', 'aria-label': `Events over ${clockText(duration * 1000)}, ${marks.length} marks` };
        byId('density').replaceChildren(svg('svg', { viewBox: `0 0 ${bins.length} 30`, preserveAspectRatio: 'none', ...words }, ...bars, ...breaks));
        byId('marks').append(...marks.map((mark) => html('option', { value: mark.t }, `${clockText(mark.t * 1000)} ${mark.event}`)));
    }

    /** @param {import('./state.js').State} state @param {number} now */
    render(state, now) {
        byId('timeline').hidden = state.source.kind !== 'recording';
        if (state.source.kind !== 'recording') return;
        if (!this.loaded) this.load();
        if (!this.held) {
            this.range.value = String(now);
            this.range.setAttribute('aria-valuetext', clockText(now * 1000));
        }
        setText(byId('time'), clockText(Number(this.range.value) * 1000));
        // Not while a speed is chosen, and only to one that can be.
        document.querySelectorAll('#speed:not(:focus) option').forEach((it) => { if (it.textContent === String(state.line.rate)) input('speed').value = it.textContent; });
        for (const id of ['play', 'pause']) byId(id).hidden = (id === 'play') === (state.line.state === 'playing');
        byId('timeline').toggleAttribute('inert', !state.tokens.control);
    }
}
