/** The connection to the server of the page: the stream of events, the time of the session, and commands. */

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
        const listen = (/** @type {string} */ name, /** @type {(data: any, id: string) => Action} */ action) => {
            source.addEventListener(name, (message) => {
                this.heard = performance.now();
                const made = action(JSON.parse(message.data), message.lastEventId);
                this.follow(made);
                this.dispatch(made);
            });
        };
        listen('message', (event, id) => ({ type: 'event', id, event }));
        listen('reset', (data, id) => ({ type: 'reset', id, data }));
        listen('line', (line) => ({ type: 'line', line }));
        listen('legal', (legal) => ({ type: 'legal', legal }));
        source.onerror = () => {
            // The browser connects again by itself, except after an answer that is an error.
            if (source.readyState === EventSource.CLOSED) setTimeout(() => this.open(), 2000);
        };
    }

    /** Follows the time of the session. @param {Action} action */
    follow(action) {
        const now = performance.now();
        if (action.type === 'line') {
            const { t, rate } = action.line;
            // A late message must not set running clocks back.
            this.base = { t: rate && rate === this.base.rate ? Math.max(t, Math.min(this.now(), t + rate)) : t, rate, at: now };
        } else if (action.type === 'reset') {
            this.base = { t: action.data.t ?? 0, rate: this.base.rate, at: now };
        } else if (action.type === 'event' && action.event.t > this.now()) {
            this.base = { t: action.event.t, rate: this.base.rate, at: now };
        }
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

    /** Posts a command. @param {string} token @param {object} body @returns {Promise<import('./state.js').ServerEvent | null>} the answer; null if there is none */
    async post(token, body) {
        const failed = (/** @type {string} */ text) => ({ event: 'failed', reason: 'not_connected', text });
        try {
            const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
            const answer = await fetch('command', { method: 'POST', headers, body: JSON.stringify(body) });
            const text = await answer.text();
            const value = text ? JSON.parse(text) : null;
            return answer.ok ? value : failed(value?.error ?? `the server answered ${answer.status}`);
        } catch (error) {
            return failed(`not sent: ${error}`);
        }
    }

    /** @param {string} command @param {string} token @param {number | null} game */
    send(command, token, game) {
        return this.post(token, { id: ++this.id, command, ...(game === null ? {} : { game }) });
    }
}

/** Gets JSON, or throws the server's words. @param {string} address */
export async function getJson(address) {
    const value = await (await fetch(address)).json();
    if (value.error) throw new Error(value.error);
    return value;
}

/** Gets the events of a game. @param {number} number @returns {Promise<import('./state.js').ServerEvent[]>} */
export async function getGame(number) {
    const text = await (await fetch(`game/${number}.jsonl`)).text();
    return text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
}
