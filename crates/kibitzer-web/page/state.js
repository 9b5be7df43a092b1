/**
 * The state of the page: a pure reducer over what the server sends. It needs no browser, and runs in Node over recordings.
 *
 * Bounded: games, moves, rows, lines of talk and samples each have a limit below.
 */
import { other, plyOf } from './chess.js';
import { remaining } from './clocks.js';

/** @typedef {import('./chess.js').Color} Color */
/** @typedef {{event: string, [key: string]: any}} ServerEvent an event of docs/events.md */
/** @typedef {{id: string, event: ServerEvent}} Row */
/** @typedef {{ply: number, id: string, board: ServerEvent}} Ply the board after so many plies */
/** @typedef {{ply: number, cp: number | null, mate: number | null}} Evaluation from White's point of view */
/**
 * @typedef {{
 *   key: string, number: number | null, white: string, black: string, info: ServerEvent | null, board: ServerEvent | null,
 *   clocks: ServerEvent | null, plies: Ply[], reserve: Record<Color, string> | null, result: ServerEvent | null, own: boolean,
 *   followed: boolean, stale: boolean, complete: boolean, listed: number, evaluations: Evaluation[], analysis: ServerEvent | null,
 *   changed: number,
 *   legal: {fen: string, moves: string[] | null} | null,
 * }} Game `clocks` is the board with other clocks, if they changed since
 */
/** @typedef {{id: string, t: number | null, kind: string, from: string, titles: string[], text: string, sent: boolean}} TalkLine */
/** @typedef {{name: string, command: string, order: number, lines: TalkLine[], total: number, read: number}} TalkTab */
/** @typedef {{state: string, t: number, rate: number, silent_ms: number, text: string | null, retry_in_ms: number | null}} Line */
/** @typedef {{key: string, text: string, accept: string, decline: string}} Question */
/** @typedef {{t: number, value: number}} Sample */
/**
 * @typedef {{
 *   source: {kind: string, name: string, handle: string | null}, tokens: Record<string, string>, line: Line,
 *   games: Map<string, Game>, current: Map<number, string>, newest: string | null, serial: number, changes: number,
 *   rows: Row[], talk: Map<string, TalkTab>, questions: Question[], restored: ServerEvent | null,
 *   missed: number, requests: Map<number, number>, roundTrips: Sample[], lags: Sample[],
 *   rates: {t: number, events: number, bytes: number}[],
 *   offset: number, breaks: number[],
 * }} State
 */
/**
 * @typedef {{type: 'message' | 'reset' | 'line' | 'legal', id: string, data: any}
 *   | {type: 'history', key: string, events: ServerEvent[]} | {type: 'read', tab: string}} Action
 * what the server sent, the earlier moves of a game, or a tab that was read
 */

const MAX = { games: 512, plies: 2000, rows: 2000, tabs: 40, lines: 300, samples: 600, requests: 64, questions: 8 };

const TALK = 'tell say partner_tell channel_tell kibitz whisper shout it_shout c_shout announcement qtell message'.split(' ');

/** Returns the state before anything arrived. @returns {State} */
export function initial() {
    return {
        source: { kind: '', name: '', handle: null }, tokens: {},
        line: { state: 'connecting', t: 0, rate: 0, silent_ms: 0, text: null, retry_in_ms: null },
        games: new Map(), current: new Map(), newest: null, serial: 0, changes: 0,
        rows: [], talk: new Map(), questions: [], restored: null,
        missed: 0, requests: new Map(), roundTrips: [], lags: [], rates: [], offset: 0, breaks: [],
    };
}

/**
 * Applies what arrived, in order. Objects that change are new ones, all others are shared with `state`.
 *
 * @param {State} state @param {Action[]} actions @returns {State}
 */
export function reduce(state, actions) {
    const draft = new Draft(state);
    for (const action of actions) draft[action.type](/** @type {any} */ (action));
    return draft.finish();
}

/** A copy of a state that may be changed. Games and tabs are copied when they first change. */
class Draft {
    /** @param {State} state */
    constructor(state) {
        this.next = {
            ...state, games: new Map(state.games), current: new Map(state.current), talk: new Map(state.talk),
            requests: new Map(state.requests), rows: [...state.rows], rates: [...state.rates],
            roundTrips: [...state.roundTrips], lags: [...state.lags],
        };
        this.copied = new Set();
    }

    finish() {
        const { rows, roundTrips, lags, rates } = this.next;
        rows.splice(0, rows.length - MAX.rows);
        for (const samples of [roundTrips, lags, rates]) samples.splice(0, samples.length - MAX.samples);
        return this.next;
    }

    /** @param {{id: string, data: ServerEvent}} action */
    message({ id, data: event }) {
        this.record(id, event);
        this.apply(id, event);
    }

    /** Adds an event to the stream, the talk and the measurements. @param {string} id @param {ServerEvent} event */
    record(id, event) {
        this.next.rows.push({ id, event });
        this.talk(id, event);
        this.count(event);
    }

    /** @param {{id: string, data: any}} action */
    reset({ id, data }) {
        const { next } = this;
        Object.assign(next, initial(), {
            source: data.source, tokens: data.tokens, line: next.line, serial: next.serial, changes: next.changes + 1,
            missed: data.reason === 'seek' ? 0 : next.missed + (data.missed ?? 0),
        });
        for (const row of data.recent) this.record(row.id, row.event);
        for (const event of data.state) this.apply(id, event);
        for (const tab of next.talk.values()) tab.read = tab.total;
    }

    /** @param {{data: Line}} action */
    line({ data }) {
        this.next.line = data;
    }

    /** @param {{data: any}} action */
    legal({ data }) {
        Object.assign(this.current(data.game) ?? {}, { legal: data });
    }

    /** Adds the earlier moves of a game. @param {{key: string, events: ServerEvent[]}} action */
    history({ key, events }) {
        if (!this.next.games.has(key)) return;
        const game = this.change(key);
        const past = new Draft(initial());
        for (const event of events) past.apply('', event);
        const found = [...past.next.games.values()].findLast((it) => it.plies.length && samePlayers(it, /** @type {any} */ (game)));
        const first = game.plies[0]?.ply ?? Infinity;
        const earlier = (/** @type {{ply: number}} */ it) => it.ply < first;
        game.plies = [...(found?.plies.filter(earlier) ?? []), ...game.plies];
        game.evaluations = [...(found?.evaluations.filter(earlier) ?? []), ...game.evaluations];
        game.info ??= found?.info ?? null;
        game.complete = true;
    }

    /** @param {{tab: string}} action */
    read({ tab: name }) {
        const tab = this.next.talk.get(name);
        if (tab && tab.read !== tab.total) this.next.talk.set(name, { ...tab, read: tab.total });
    }

    /** Changes games and what waits for an answer. @param {string} id @param {ServerEvent} event */
    apply(id, event) {
        const { next } = this;
        switch (event.event) {
            case 'position': this.position(id, event); break;
            case 'game_created': case 'game_info': this.terms(event); break;
            case 'holding': this.holding(event); break;
            case 'clock': this.clock(event); break;
            case 'game_ended': {
                const game = this.current(event.game);
                if (game && !game.result && samePlayers(game, event)) {
                    Object.assign(game, { result: event, legal: null });
                    this.answered('offer');
                }
                break;
            }
            case 'observing': Object.assign(this.current(event.game) ?? {}, { followed: event.on }); break;
            case 'analysis': this.analysis(event); break;
            case 'move_list': Object.assign(this.current(event.game) ?? {}, { complete: false, listed: ++next.changes }); break;
            case 'lost': case 'ended':
                next.games.forEach((game, key) => game.result || game.stale || (this.change(key).stale = true));
                next.questions = [];
                next.breaks = [...next.breaks, event.t ?? 0].slice(-MAX.samples);
                break;
            case 'restored': this.restored(event); break;
            case 'challenge': this.ask(event.from, 'challenges you:', terms(event), event.from); break;
            case 'challenge_update': if (event.change !== 'updated') this.answered(event.name); break;
            case 'offer': this.offer(event); break;
            case 'connecting': next.restored = null; break;
        }
    }

    /** @param {string} id @param {ServerEvent} event */
    position(id, event) {
        const { next } = this;
        const ply = plyOf(event.fen);
        // Boards of a stored game, and those printed on request, are no game in progress.
        const printed = event.relation === -3 || event.relation === -4;
        let game = printed ? null : this.current(event.game);
        if (!game || !samePlayers(game, event) || (game.result && ply < (game.plies.at(-1)?.ply ?? 0))) {
            game = this.create(printed ? null : event.game, event.white, event.black);
        }
        const own = game.own || Boolean(event.own);
        const { white, black } = event;
        Object.assign(game, { white, black, own, board: event, clocks: null, stale: false, followed: !printed, legal: null, changed: ++next.changes });
        if (event.white_reserve !== null || event.black_reserve !== null) {
            game.reserve = { white: event.white_reserve ?? '', black: event.black_reserve ?? '' };
        }
        // A takeback, or a step back in an examined game, drops the later moves.
        while ((game.plies.at(-1)?.ply ?? -1) >= ply) game.plies.pop();
        game.plies.push({ ply, id, board: event });
        if (game.plies.length > MAX.plies) game.plies.shift();
        // A game that was seen from its start needs no history.
        game.complete ||= game.plies[0].ply === 0 || event.last_move === null;
        next.newest = game.key;
    }

    /** @param {ServerEvent} event */
    terms(event) {
        const game = this.current(event.game);
        const same = game && !game.result && samePlayers(game, event);
        const found = same ? game : this.create(event.game, event.white ?? '', event.black ?? '');
        Object.assign(found, { info: { ...found.info, ...event }, own: found.own || Boolean(event.own) });
    }

    /** @param {ServerEvent} event */
    holding({ game: number, white, black }) {
        (this.current(number) ?? this.create(number, '', '')).reserve = { white, black };
    }

    /** Stops clocks, lets them run, or adds time. @param {ServerEvent} event */
    clock({ game: number, own, action, to, seconds, t }) {
        const game = number !== null || own ? this.current(number) : null;
        const old = game?.clocks ?? game?.board;
        if (!game || !old) return;
        const mine = action === 'time_added' ? null : ownColor(game);
        const receiver = mine ? (action === 'time_given' ? other(mine) : mine) : to === game.white ? 'white' : 'black';
        const given = action.startsWith('time_') ? seconds * 1000 : 0;
        const left = (/** @type {Color} */ it) => (remaining(game, it, t) ?? 0) + (it === receiver ? given : 0);
        const runs = action === 'resumed' || (action !== 'paused' && old.clock_running);
        game.clocks = { ...old, t, white_clock_ms: left('white'), black_clock_ms: left('black'), clock_running: runs };
    }

    /** @param {ServerEvent} event */
    analysis(event) {
        const game = this.current(event.game);
        if (!game?.board) return;
        // The score is from the bot's point of view.
        const turn = (game.board.side_to_move === 'white') === (game.board.relation !== -1);
        const white = [game.white, game.black].includes(event.account) ? event.account === game.white : turn;
        const ply = plyOf(game.board.fen);
        const value = (/** @type {number | null} */ it) => (it === null || white ? it : -it);
        game.analysis = event;
        game.evaluations = [...game.evaluations.filter((it) => it.ply < ply), { ply, cp: value(event.score_cp), mate: value(event.mate) }];
    }

    /** @param {ServerEvent} event */
    restored(event) {
        this.next.restored = event;
        for (const { was, now, outcome, result, ending } of event.games ?? []) {
            const game = this.current(was);
            if (game && outcome === 'unchanged') game.stale = false;
            if (!game || now !== null) continue;
            game.followed = false;
            game.result ??= result ? { event: 'game_ended', result, reason: ending, text: ending } : null;
        }
    }

    /** @param {ServerEvent} event */
    offer(event) {
        if (event.answer !== null) return this.answered('offer');
        if (event.from === null || !event.own) return;
        this.ask('offer', 'offers', event.kind + (event.kind === 'takeback' ? ` of ${event.count} plies` : ''), event.from);
    }

    /** @param {string} key @param {string} verb @param {string} what @param {string} from */
    ask(key, verb, what, from) {
        this.answered(key);
        const question = { key, text: `${from} ${verb} ${what}`, accept: `accept ${from}`, decline: `decline ${from}` };
        this.next.questions = [...this.next.questions, question].slice(-MAX.questions);
    }

    /** @param {string} key */
    answered(key) {
        this.next.questions = this.next.questions.filter((it) => it.key !== key);
    }

    /** @param {string} id @param {ServerEvent} event */
    talk(id, event) {
        const sent = event.event === 'sent' ? sentTalk(event) : null;
        if (!TALK.includes(event.event) && !sent) return;
        const { name, command, kind, text } = sent ?? { kind: event.event, text: String(event.text), ...tabOf(event) };
        const old = this.next.talk.get(name) ?? { name, command, order: ++this.next.changes, lines: [], total: 0, read: 0 };
        const from = sent ? (this.next.source.handle ?? 'you') : (event.from ?? 'server');
        const line = { id, t: event.t ?? null, kind, from, titles: event.titles ?? [], text, sent: Boolean(sent) };
        const total = old.total + 1;
        this.next.talk.delete(name);
        this.next.talk.set(name, { ...old, lines: [...old.lines, line].slice(-MAX.lines), total, read: sent ? total : old.read });
        dropOldest(this.next.talk, MAX.tabs);
    }

    /** Measures round trips, lag and rates. @param {ServerEvent} event */
    count(event) {
        const { next } = this;
        const t = event.t;
        if (typeof t !== 'number') return;
        const began = next.requests.get(event.request);
        if (event.event === 'sent' && event.request !== undefined) {
            next.requests.set(event.request, t);
            dropOldest(next.requests, MAX.requests);
        } else if (began !== undefined) {
            next.requests.delete(event.request);
            next.roundTrips.push({ t, value: (t - began) * 1000 });
        }
        if (event.event === 'position' && event.lag_ms > 0) next.lags.push({ t, value: event.lag_ms });
        // An offset that does not grow is that of a new connection.
        const bytes = Math.max(0, (event.offset ?? next.offset) - next.offset);
        next.offset = event.offset ?? next.offset;
        const second = Math.floor(t);
        const known = next.rates.at(-1)?.t === second ? next.rates.pop() : null;
        next.rates.push({ t: second, events: (known?.events ?? 0) + 1, bytes: (known?.bytes ?? 0) + bytes });
    }

    /** The game that has the number, null for the own game in progress, as one that may be changed. @param {number | null} number */
    current(number) {
        const own = number === null ? [...this.next.games.values()].findLast((game) => game.own && !game.result) : null;
        const key = own?.key ?? this.next.current.get(number ?? NaN) ?? '';
        return this.next.games.has(key) ? this.change(key) : null;
    }

    /** @param {string} key @returns {Game} */
    change(key) {
        const game = /** @type {Game} */ (this.next.games.get(key));
        if (this.copied.has(key)) return game;
        this.copied.add(key);
        const copy = { ...game, plies: [...game.plies] };
        this.next.games.set(key, copy);
        return copy;
    }

    /**
     * Adds a game; without a number it is a printed board, of which one is kept.
     *
     * @param {number | null} number @param {string} white @param {string} black @returns {Game}
     */
    create(number, white, black) {
        const { next } = this;
        const key = number === null ? 'printed' : `g${++next.serial}`;
        const game = {
            key, number, white, black, info: null, board: null, clocks: null, plies: [], reserve: null, result: null,
            own: false, followed: true, stale: false, complete: false, changed: ++next.changes,
            evaluations: [], analysis: null, legal: null, listed: 0,
        };
        next.games.delete(key);
        next.games.set(key, game);
        this.copied.add(key);
        if (number !== null) next.current.set(number, key);
        dropOldest(next.games, MAX.games, (it) => it.result || !it.followed);
        dropOldest(next.current, MAX.games, (it) => !next.games.has(it));
        return game;
    }
}

/**
 * Drops the oldest entry beyond a number, if there is one that is over.
 *
 * @param {Map<any, any>} map @param {number} most @param {(value: any) => unknown} [over]
 */
function dropOldest(map, most, over = () => true) {
    if (map.size <= most) return;
    const keys = [...map.keys()];
    map.delete(keys.find((key) => over(map.get(key))) ?? keys[0]);
}

/** Whether an event is about the players of a game, as far as both name them. @param {Game} game @param {ServerEvent} event */
const samePlayers = (game, event) => !event.white || !game.white || (game.white === event.white && game.black === event.black);

/** The tab of a line of talk, and the command that answers in it. @param {ServerEvent} event */
function tabOf(event) {
    switch (event.event) {
        case 'tell': case 'say': case 'partner_tell': return { name: event.from, command: `tell ${event.from}` };
        case 'channel_tell': return { name: `#${event.channel}`, command: `tell ${event.channel}` };
        case 'kibitz': case 'whisper': return { name: `game ${event.game}`, command: `xkibitz ${event.game}` };
        case 'shout': case 'it_shout': case 'c_shout': return { name: 'shouts', command: 'shout' };
        default: return { name: 'server', command: '' };
    }
}

/** Reads a sent line as talk. @param {ServerEvent} event */
function sentTalk(event) {
    const found = /^(?:\d+ )?(tell|t|shout|xkibitz) (\S+) ?(.*)$/s.exec(event.line ?? '');
    if (!found) return null;
    const [, command, to, rest] = found;
    if (command === 'shout') return { kind: 'shout', name: 'shouts', command, text: `${to} ${rest}` };
    const name = command === 'xkibitz' ? `game ${to}` : /^\d+$/.test(to) ? `#${to}` : to;
    return { kind: command === 'xkibitz' ? 'kibitz' : 'tell', name, command: `${command} ${to}`, text: rest };
}

/** Writes the terms of a challenge or a game. @param {ServerEvent} it */
export function terms(it) {
    const seconds = it.white_time_s ?? it.initial_s;
    const minutes = it.initial_min ?? (seconds === undefined ? null : seconds / 60);
    const time = minutes === null ? null : `${minutes}+${it.increment_s ?? it.white_increment_s ?? 0}`;
    const variant = it.variant && it.variant !== 'chess' ? it.variant : null;
    const rated = typeof it.rated === 'boolean' ? `${it.rated ? '' : 'un'}rated` : null;
    return [rated, variant ?? it.speed ?? it.kind, time].filter(Boolean).join(' ');
}

/**
 * The game to show if none was chosen: the own one in progress, otherwise the newest observed one.
 *
 * @param {State} state @returns {Game | null}
 */
export function defaultGame(state) {
    const games = [...state.games.values()].filter((game) => game.board).reverse();
    const going = (/** @type {Game} */ game) => !game.result && game.followed && !game.stale;
    // The end of an own game stays in view until a later game begins.
    return games.find((game) => game.own && going(game)) ?? games.find((game) => game.own || going(game)) ?? games[0] ?? null;
}

/** The side that this login plays in a game. @param {Game | null} game @returns {Color | null} */
export function ownColor(game) {
    const relation = game?.result ? 0 : game?.board?.relation;
    if (relation !== 1 && relation !== -1) return null;
    return (game?.board?.side_to_move === 'white') === (relation === 1) ? 'white' : 'black';
}
