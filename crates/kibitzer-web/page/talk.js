/** Talk: a tab for each player, channel and game. Words of players are text, links too. */
import { clockText } from './clocks.js';
import { arrows, html, keyed, ROW, setText } from './dom.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').TalkTab} TalkTab */

export class Talk {
    /** @param {HTMLElement} tabs @param {HTMLElement} log @param {(tab: string) => void} read */
    constructor(tabs, log, read) {
        this.tabs = tabs;
        this.log = log;
        this.read = read;
        this.name = '';
        /** @type {State['talk'] | undefined} */
        this.drawn = undefined;
        arrows(tabs, ROW);
    }

    /** The tab shown. @param {State} state */
    shown(state) {
        return state.talk.get(this.name) ?? [...state.talk.values()].at(-1) ?? null;
    }

    /** @param {State} state @param {boolean} visible @returns {number} the lines that were not read */
    render(state, visible) {
        const unread = [...state.talk.values()].reduce((sum, tab) => sum + tab.total - tab.read, 0);
        if (!visible || state.talk === this.drawn) return unread;
        this.drawn = state.talk;
        this.name = this.shown(state)?.name ?? '';
        const tabs = [...state.talk.values()].sort((a, b) => a.order - b.order);
        const make = (/** @type {TalkTab} */ { name }) => html('button', { role: 'tab', 'aria-controls': 'talk-log', click: () => this.choose(name) });
        keyed(this.tabs, tabs, (tab) => tab.name, make, (button, tab) => {
            const news = tab.total - tab.read;
            setText(button, news ? `${tab.name} (${news})` : tab.name);
            button.setAttribute('aria-selected', String(tab.name === this.name));
            button.setAttribute('aria-label', news ? `${tab.name}, ${news} unread` : tab.name);
        });
        const tab = state.talk.get(this.name);
        const down = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 40;
        keyed(this.log, tab?.lines ?? [], (line) => `${this.name} ${line.id}`, paragraph);
        if (down) this.log.scrollTop = this.log.scrollHeight;
        if (tab && tab.total !== tab.read) this.read(tab.name);
        return unread - (tab ? tab.total - tab.read : 0);
    }

    /** @param {string} name */
    choose(name) {
        this.name = name;
        this.drawn = undefined;
        this.read(name);
    }
}

/** @param {import('./state.js').TalkLine} line */
function paragraph(line) {
    const time = html('time', {}, line.t === null ? '' : clockText(line.t * 1000));
    const from = html('b', {}, line.from + line.titles.map((title) => `(${title})`).join(''));
    const words = [html('i', {}, line.kind.replace('_', ' ')), ' ', html('span', { dir: 'auto' }, line.text)];
    return html('p', { class: line.sent ? 'sent' : '' }, time, ' ', from, ' ', ...words);
}
