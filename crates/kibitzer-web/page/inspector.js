/** The stream of events, and one of them as fields, JSON, frame and bytes. The server evaluates filters. */
import { Board, still } from './board.js';
import { cellsOf } from './chess.js';
import { clockText } from './clocks.js';
import { getJson } from './connection.js';
import { arrows, byId, html, keyed, LIST, setText } from './dom.js';

/** @typedef {import('./state.js').Row} Row */
/** @typedef {import('./state.js').ServerEvent} ServerEvent */

/** What the list leaves out unless it is filtered or all rows are shown. */
const QUIET = new Set(['prompt', 'block_start', 'block_end', 'unit_start', 'unit_end', 'telnet', 'holding', 'listing_line']);
const WINDOW = 200;
const UNITS = /** @type {[string, string][]} */ ([['_cp', 'hundredths of a pawn'], ['_ms', 'ms'], ['_min', 'min'], ['_s', 's'], ['bytes', 'bytes'], ['offset', 'bytes']]);

export class Inspector {
    constructor() {
        this.list = byId('rows');
        this.filter = '';
        /** @type {Row[]} the rows that match, while there is a filter */
        this.found = [];
        this.through = '';
        /** @type {Row | null} */
        this.chosen = null;
        /** @type {Row[] | undefined} */
        this.drawn = undefined;
        this.due = 0;
        byId('filter-form').addEventListener('submit', (event) => {
            event.preventDefault();
            this.setFilter(/** @type {HTMLInputElement} */ (byId('filter')).value.trim());
        });
        byId('earlier').addEventListener('click', () => this.earlier());
        byId('all-rows').addEventListener('change', () => { this.drawn = undefined; });
        arrows(this.list, LIST);
    }

    /** @param {string} filter */
    async setFilter(filter) {
        Object.assign(this, { filter, found: [], through: '', drawn: undefined });
        setText(byId('filter-error'), '');
        /** @type {HTMLInputElement} */ (byId('export-filter')).value = filter;
        await this.poll();
    }

    /** Gets the rows that match and are new. */
    async poll() {
        const { filter } = this;
        if (!filter || this.polling) return;
        this.polling = true;
        try {
            const answer = await getJson(`rows?${new URLSearchParams({ filter, after: this.through, limit: '1000' })}`);
            if (filter === this.filter) {
                const run = (/** @type {string} */ id) => id.split('.')[0];
                this.found = [...(run(answer.through) === run(this.through) ? this.found : []), ...answer.rows].slice(-2000);
                this.through = answer.through;
            }
        } catch (error) {
            setText(byId('filter-error'), /** @type {Error} */ (error).message);
            this.filter = '';
        }
        this.polling = false;
    }

    /** Shows older rows above, from the server. Nothing new is added until the list is scrolled to its end again. */
    async earlier() {
        const query = { ...(this.filter ? { filter: this.filter } : {}), before: this.shown[0]?.id ?? '', limit: String(WINDOW) };
        const { rows } = await getJson(`rows?${new URLSearchParams(query)}`);
        const from = this.list.scrollHeight - this.list.scrollTop;
        this.draw([...rows.filter(this.listed), ...this.shown]);
        this.list.scrollTop = Math.min(this.list.scrollHeight - from, this.list.scrollHeight - this.list.clientHeight - 60);
    }

    /** Whether the list has a row if there is no filter. @param {Row} row */
    listed = ({ event }) => /** @type {HTMLInputElement} */ (byId('all-rows')).checked || (!QUIET.has(event.event) && !(event.event === 'text' && event.text === ''));

    /** @type {Row[]} */
    shown = [];

    /** @param {import('./state.js').State} state @param {boolean} visible */
    render(state, visible) {
        const now = performance.now();
        const forced = this.drawn === undefined;
        // Five times a second is as fast as a list can be read.
        if (!visible || (!forced && now < this.due)) return;
        if (this.filter) this.poll();
        this.due = now + (this.filter ? 1000 : 200);
        const down = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 40;
        const source = this.filter ? this.found : state.rows;
        if (!forced && (!down || this.drawn === source)) return;
        this.drawn = source;
        const rows = this.filter ? this.found : state.rows.filter(this.listed);
        this.draw(rows.slice(-WINDOW));
        this.list.scrollTop = this.list.scrollHeight;
        setText(byId('row-count'), `${rows.length} rows${state.missed ? `, ${state.missed} missed` : ''}`);
    }

    /** @param {Row[]} rows */
    draw(rows) {
        this.shown = rows;
        keyed(this.list, rows, (row) => row.id, (row) => html('button', { class: `row ${row.event.event}`, tabindex: -1, click: () => this.choose(row) },
            html('time', {}, timeText(row.event)), ' ', html('b', {}, row.event.event), ' ', html('span', { dir: 'auto' }, summary(row.event))),
        (button, row) => button.toggleAttribute('aria-current', row.id === this.chosen?.id));
    }

    /** Shows one event. @param {Row} row */
    async choose(row) {
        this.chosen = row;
        this.draw(this.shown);
        const { event } = row;
        const section = (/** @type {string} */ title, /** @type {Node[]} */ ...content) => html('section', {}, html('h3', {}, title), ...content);
        const boards = event.event === 'desync' ? [boardOf('expected', event.expected_fen, event.squares), boardOf('received', event.actual_fen, event.squares)]
            : event.fen ? [boardOf('board', event.fen, [])] : [];
        const frame = section('Frame and bytes', html('p', {}, 'loading'));
        byId('detail').replaceChildren(html('h2', {}, `${event.event} ${row.id}`), html('div', { class: 'boards' }, ...boards.flatMap((it) => it ?? [])),
            section('Fields', html('table', {}, html('tbody', {}, ...fields('', event)))), frame, section('JSON', html('pre', { tabindex: 0 }, JSON.stringify(event, null, 1))));
        try {
            const { bytes, class: kind, line, text } = await getJson(`row/${encodeURIComponent(row.id)}`);
            frame.replaceChildren(html('h3', {}, 'Frame'), html('p', {}, `${kind}, offset ${event.offset}, ${bytes.length / 2} bytes: ${text}`),
                html('pre', { tabindex: 0 }, line), html('h3', {}, 'Bytes'), html('pre', { tabindex: 0 }, hexDump(bytes)));
        } catch (error) {
            setText(/** @type {Element} */ (frame.lastElementChild), /** @type {Error} */ (error).message || 'not kept');
        }
    }
}

/** @param {string} title @param {string | null} fen @param {string[] | null} marks */
function boardOf(title, fen, marks) {
    if (!fen) return null;
    const figure = html('figure', {}, html('figcaption', {}, title));
    new Board(figure, true).show(still(cellsOf(fen), { marks: marks ?? [] }));
    return figure;
}

/** @param {ServerEvent} event */
const timeText = (event) => (typeof event.t === 'number' ? `${clockText(event.t * 1000)}.${String(Math.floor(event.t * 1000) % 1000).padStart(3, '0')}` : String(event.offset ?? ''));

/** The rows of a table of fields, with units. @param {string} prefix @param {Record<string, any>} value @returns {HTMLElement[]} */
function fields(prefix, value) {
    return Object.entries(value).flatMap(([key, it]) => {
        const unit = typeof it === 'number' ? (UNITS.find(([end]) => key.endsWith(end))?.[1] ?? '') : '';
        return it !== null && typeof it === 'object' ? fields(`${prefix}${key}.`, it)
            : [html('tr', {}, html('th', { scope: 'row' }, prefix + key), html('td', { dir: 'auto' }, it === null ? '–' : String(it)), html('td', {}, unit))];
    });
}

/** Writes bytes as offset, hexadecimal and ASCII. @param {string} hex */
export function hexDump(hex) {
    const bytes = hex.match(/../g) ?? [];
    const lines = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, n) => bytes.slice(n * 16, n * 16 + 16));
    const ascii = (/** @type {string} */ byte) => (byte >= '20' && byte < '7f' ? String.fromCharCode(parseInt(byte, 16)) : '.');
    return lines.map((line, n) => `${(n * 16).toString(16).padStart(4, '0')}  ${line.join(' ').padEnd(47)}  ${line.map(ascii).join('')}`).join('\n');
}

/** One line about an event. @param {ServerEvent} event */
export function summary(event) {
    const game = event.game === null || event.game === undefined ? '' : `game ${event.game} `;
    switch (event.event) {
        case 'position': return `${game}${event.last_move?.san ?? event.last_move?.verbose ?? 'board'}  ${event.white} ${clockText(event.white_clock_ms)}  ${event.black} ${clockText(event.black_clock_ms)}`;
        case 'sent': return event.line ?? '(hidden)';
        case 'game_ended': return `${game}${event.result} ${event.text}`;
    }
    const words = event.text ?? event.line ?? '';
    const from = event.from ?? event.name ?? '';
    if (words || from) return `${game}${from ? `${from}: ` : ''}${words}`.slice(0, 300);
    const rest = Object.entries(event).filter(([key, value]) => value !== null && !['event', 'offset', 't', 'utc', 'request', 'requested_by', 'inferred', 'own'].includes(key));
    return rest.map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : value}`).join(', ').slice(0, 300);
}
