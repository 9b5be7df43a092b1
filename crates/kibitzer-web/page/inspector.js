/** The stream of events, and one of them as fields, JSON, frame and bytes. The server evaluates filters. */
import { Board, still } from './board.js';
import { cellsOf } from './chess.js';
import { clockText } from './clocks.js';
import { getJson, save } from './connection.js';
import { arrows, byId, html, input, keyed, LIST, setText } from './dom.js';

/** @typedef {import('./state.js').Row} Row */
/** @typedef {import('./state.js').ServerEvent} ServerEvent */

/** What the list leaves out unless it is filtered or all rows are shown. */
const QUIET = new Set(['prompt', 'block_start', 'block_end', 'unit_start', 'unit_end', 'telnet', 'holding', 'listing_line']);
/** What the summary of an event leaves out. */
const COMMON = new Set('event offset t utc request requested_by inferred own game from name titles text account'.split(' '));
const UNITS = Object.entries({ _cp: 'hundredths of a pawn', _ms: 'ms', _min: 'min', _s: 's', bytes: 'bytes', offset: 'bytes' });
/** How many rows are drawn, and how many are kept of those that match. */
const [WINDOW, MAX_FOUND] = [200, 2000];

export class Inspector {
    constructor() {
        this.list = byId('rows');
        this.filter = '';
        /** @type {Row[]} the rows that match, while there is a filter */
        this.found = [];
        this.through = '';
        /** @type {Row[]} the rows that are drawn */
        this.shown = [];
        /** @type {Row | null} */
        this.chosen = null;
        /** @type {Row[] | undefined} what they were drawn from; undefined to draw them again */
        this.drawn = undefined;
        this.due = 0;
        /** @type {Map<number, number>} the requests without a reply, and when they were sent */
        this.unanswered = new Map();
        byId('filter-form').addEventListener('submit', (event) => {
            event.preventDefault();
            this.setFilter(input('filter').value.trim());
        });
        byId('earlier').addEventListener('click', () => this.earlier());
        byId('export').addEventListener('submit', async (event) => {
            event.preventDefault();
            const query = new URLSearchParams(/** @type {any} */ (new FormData(/** @type {HTMLFormElement} */ (byId('export')))));
            setText(byId('export-error'), await save(`export?${query}`).catch((error) => `not saved: ${error}`));
        });
        byId('all-rows').addEventListener('change', () => { this.drawn = undefined; });
        arrows(this.list, LIST);
    }

    /** @param {string} filter */
    setFilter(filter) {
        Object.assign(this, { filter, found: [], through: '', drawn: undefined });
        setText(byId('filter-error'), '');
        input('export-filter').value = filter;
        return this.poll();
    }

    /** @param {Record<string, string>} query @returns {Promise<{rows: Row[], through: string}>} */
    getRows(query) {
        return getJson(`rows?${new URLSearchParams({ filter: this.filter, ...query })}`);
    }

    /** Gets the rows that match and are new. */
    async poll() {
        const { filter } = this;
        if (!filter || this.polling) return;
        // A reply removes a line from those without one.
        const anew = filter.includes('unanswered');
        this.polling = true;
        try {
            const { rows, through } = await this.getRows({ after: anew ? '' : this.through, limit: String(MAX_FOUND) });
            if (filter === this.filter) {
                const sameRun = !anew && through.split('.')[0] === this.through.split('.')[0];
                this.found = [...(sameRun ? this.found : []), ...rows].slice(-MAX_FOUND);
                this.through = through;
            }
        } catch (error) {
            setText(byId('filter-error'), /** @type {Error} */ (error).message);
            this.filter = '';
        }
        this.polling = false;
    }

    /** Shows older rows above, from the server. Nothing new is added until the list is scrolled to its end again. */
    async earlier() {
        const { rows } = await this.getRows({ before: this.shown[0]?.id ?? '', limit: String(WINDOW) });
        const below = this.list.scrollHeight - this.list.scrollTop;
        this.draw([...rows.filter((row) => this.lists(row)), ...this.shown]);
        this.list.scrollTop = this.list.scrollHeight - Math.max(below, this.list.clientHeight + 60);
    }

    /** @param {Row} row */
    lists({ event }) {
        return this.filter || input('all-rows').checked || !(QUIET.has(event.event) || (event.event === 'text' && !event.text));
    }

    /** @param {import('./state.js').State} state @param {boolean} visible */
    render(state, visible) {
        const now = performance.now();
        const forced = this.drawn === undefined;
        // Five times a second is as fast as a list can be read.
        if (!visible || (!forced && now < this.due)) return;
        this.poll();
        this.due = now + (this.filter ? 1000 : 200);
        const down = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 40;
        const source = this.filter ? this.found : state.rows;
        this.unanswered = state.requests;
        // The marks of the drawn rows may have changed.
        if (!forced && (!down || this.drawn === source)) return this.draw(this.shown);
        this.drawn = source;
        const rows = source.filter((row) => this.lists(row));
        this.draw(rows.slice(-WINDOW));
        this.list.scrollTop = this.list.scrollHeight;
        setText(byId('row-count'), `${rows.length} rows${state.missed ? `, ${state.missed} missed` : ''}`);
    }

    /** @param {Row[]} rows */
    draw(rows) {
        this.shown = rows;
        const make = (/** @type {Row} */ row) => {
            const { event } = row;
            const words = html('span', { dir: 'auto' }, summary(event));
            const attributes = { class: `row ${event.event}`, tabindex: -1, click: () => this.choose(row) };
            return html('button', attributes, html('time', {}, timeText(event)), ' ', html('b', {}, event.event), ' ', words);
        };
        const mark = (/** @type {Element} */ it, /** @type {Row} */ row) => {
            it.setAttribute('aria-current', String(row.id === this.chosen?.id));
            it.classList.toggle('unanswered', row.event.event === 'sent' && this.unanswered.has(row.event.request));
        };
        keyed(this.list, rows, (row) => row.id, make, mark);
    }

    /** Shows one event. @param {Row} row */
    async choose(row) {
        this.chosen = row;
        this.draw(this.shown);
        const { event } = row;
        const title = (/** @type {string} */ words) => html('h3', {}, words);
        const block = (/** @type {string} */ words) => html('pre', { tabindex: 0 }, words);
        const boards = [['expected', event.expected_fen], [event.event === 'desync' ? 'received' : 'board', event.actual_fen ?? event.fen]];
        const figures = boards.flatMap(([name, fen]) => (fen ? [boardOf(name, fen, event.squares ?? [])] : []));
        const table = html('table', {}, html('tbody', {}, ...fields('', event)));
        const frame = html('section', {}, title('Frame'), html('p', {}, 'loading'));
        byId('detail').replaceChildren(html('h2', {}, `${event.event} ${row.id}`), html('div', { class: 'boards' }, ...figures),
            title('Fields'), table, frame, title('JSON'), block(JSON.stringify(event, null, 1)));
        try {
            const found = await getJson(`row/${encodeURIComponent(row.id)}`);
            const words = `${found.class}, offset ${event.offset}, ${found.bytes.length / 2} bytes: ${found.text}`;
            frame.replaceChildren(title('Frame'), html('p', {}, words), block(found.line), title('Bytes'), block(hexDump(found.bytes)));
        } catch (error) {
            frame.replaceChildren(title('Frame'), html('p', {}, /** @type {Error} */ (error).message));
        }
    }
}

/** @param {string} title @param {string} fen @param {string[]} marks */
function boardOf(title, fen, marks) {
    const figure = html('figure', {}, html('figcaption', {}, title));
    new Board(figure, true).show(still(cellsOf(fen), { marks }));
    return figure;
}

/** The time of an event with milliseconds, or its offset if it has none. @param {ServerEvent} event */
function timeText({ t, offset }) {
    return typeof t === 'number' ? `${clockText(t * 1000)}.${String(Math.floor(t * 1000) % 1000).padStart(3, '0')}` : String(offset ?? '');
}

/** The rows of a table of fields, with units. @param {string} prefix @param {Record<string, any>} value @returns {HTMLElement[]} */
function fields(prefix, value) {
    return Object.entries(value).flatMap(([key, it]) => {
        if (it !== null && typeof it === 'object') return fields(`${prefix}${key}.`, it);
        const unit = (typeof it === 'number' && UNITS.find(([end]) => key.endsWith(end))?.[1]) || '';
        const words = it === null ? '–' : String(it);
        return [html('tr', {}, html('th', { scope: 'row' }, prefix + key), html('td', { dir: 'auto' }, words), html('td', {}, unit))];
    });
}

/** The answer to a command: the server's lines, or the fields of a listing. @param {ServerEvent} reply */
export const answerOf = ({ content: { lines, ...listing } }) =>
    lines ? html('pre', {}, lines.join('\n').trim()) : html('table', {}, html('tbody', {}, ...fields('', listing)));

/** Writes bytes as offset, hexadecimal and ASCII. @param {string} hex */
export function hexDump(hex) {
    const bytes = hex.match(/../g) ?? [];
    const ascii = (/** @type {string} */ byte) => (byte >= '20' && byte < '7f' ? String.fromCharCode(parseInt(byte, 16)) : '.');
    return Array.from({ length: Math.ceil(bytes.length / 16) }, (_, n) => {
        const line = bytes.slice(n * 16, n * 16 + 16);
        return `${(n * 16).toString(16).padStart(4, '0')}  ${line.join(' ').padEnd(47)}  ${line.map(ascii).join('')}`;
    }).join('\n');
}

/** One line about an event. @param {ServerEvent} event */
export function summary(event) {
    const game = typeof event.game === 'number' ? `game ${event.game} ` : '';
    if (event.event === 'position') {
        const player = (/** @type {'white' | 'black'} */ color) => `${event[color]} ${clockText(event[`${color}_clock_ms`])}`;
        return `${game}${event.last_move?.san ?? event.last_move?.verbose ?? 'board'}  ${player('white')}  ${player('black')}`;
    }
    const from = event.from ?? event.name ?? '';
    const rest = Object.entries(event).filter(([key, value]) => value !== null && !COMMON.has(key));
    const parts = rest.map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : value}`);
    const words = event.text ?? event.line ?? (event.reason && event.action ? `${event.action}: ${event.reason}` : parts.join(', '));
    return `${game}${event.result ? `${event.result} ` : ''}${from ? `${from}: ` : ''}${words}`.slice(0, 300);
}
