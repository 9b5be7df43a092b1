/** The connection to the server of the page: the stream of events, the time of the session, and commands. */

import { html } from './dom.js';

/** @typedef {import('./state.js').Action} Action */

/** The page calls its own connection lost, and stops all clocks, after this long without a sign of life. */
const SILENCE_MS = 3000;

export class Connection {
    /** @param {(action: Action) => void} dispatch */
    constructor(dispatch) {
        this.dispatch = dispatch;
        this.heard = 0;
        this.base = { t: 0, rate: 0, at: 0 };
        this.id = 0;
        this.open();
    }

    open() {
        const source = new EventSource('events');
        for (const type of /** @type {const} */ (['message', 'reset', 'line', 'legal'])) {
            source.addEventListener(type, ({ data, lastEventId: id }) => {
                this.heard = performance.now();
                const action = { type, id, data: JSON.parse(data) };
                this.follow(action);
                this.dispatch(action);
            });
        }
        source.onerror = () => {
            // The browser connects again by itself, except after an answer that is an error.
            if (source.readyState === EventSource.CLOSED) setTimeout(() => this.open(), 2000);
        };
    }

    /** Follows the time of the session. @param {{type: string, data: any}} action */
    follow({ type, data }) {
        const now = this.now();
        const { rate } = this.base;
        const base = (/** @type {number} */ t, rate = this.base.rate) => { this.base = { t, rate, at: performance.now() }; };
        // A late message must not set running clocks back.
        if (type === 'line') base(data.rate && data.rate === rate ? Math.max(data.t, Math.min(now, data.t + rate)) : data.t, data.rate);
        if (type === 'reset') base(data.t ?? 0);
        if (type === 'message' && data.t > now) base(data.t);
    }

    /** Whether the server of the page is silent. */
    silent() {
        return performance.now() - this.heard > SILENCE_MS;
    }

    /** The time of the session, in seconds. */
    now() {
        const until = Math.min(performance.now(), this.heard + SILENCE_MS);
        return this.base.t + (Math.max(0, until - this.base.at) / 1000) * this.base.rate;
    }

    /**
     * Posts a command, and returns the answer; null if it has none.
     *
     * @param {string} token @param {object} body @returns {Promise<import('./state.js').ServerEvent | null>}
     */
    async post(token, body) {
        const failed = (/** @type {string} */ text) => ({ event: 'failed', reason: 'not_connected', text });
        try {
            const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
            const answer = await fetch('command', { method: 'POST', headers, body: JSON.stringify(body) });
            const text = await answer.text();
            const value = text ? JSON.parse(text) : null;
            return answer.ok && !value?.error ? value : failed(value?.error ?? `the server answered ${answer.status}`);
        } catch (error) {
            return failed(`not sent: ${error}`);
        }
    }
}

/** Gets JSON, or throws the server's words. @param {string} address */
export async function getJson(address) {
    const value = await (await fetch(address)).json();
    if (value.error) throw new Error(value.error);
    return value;
}

/** Gets the lines of a text that are not empty. @param {string} address */
export const getLines = async (address) => (await (await fetch(address)).text()).split('\n').filter(Boolean);

/** Saves a file of the server. Returns why there is none, or nothing. @param {string} address @returns {Promise<string>} */
export async function save(address) {
    const answer = await fetch(address);
    const name = /filename="(.*)"/.exec(answer.headers.get('Content-Disposition') ?? '')?.[1];
    if (!name) return (await answer.json()).error;
    const href = URL.createObjectURL(await answer.blob());
    html('a', { href, download: name }).click();
    URL.revokeObjectURL(href);
    return '';
}
