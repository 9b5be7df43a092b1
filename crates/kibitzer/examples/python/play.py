"""Plays a game against Whetstone of `kibitzer serve`: python3 play.py [SERVER]"""
import asyncio, itertools, json, os, sys
from asyncio.subprocess import PIPE

PLAN = "e4 d4 Nf3 Be2 O-O c3 Re1 h3 a4 Nbd2 b3 Bb2 Qc2 Rad1 g3 b4".split()


async def main(server):
    program = os.environ.get("KIBITZER", "kibitzer")
    arguments = [program, "connect", server, "--json"]
    kibitzer = await asyncio.create_subprocess_exec(*arguments, stdin=PIPE, stdout=PIPE, limit=2**20)
    ids, answers, moves, result = itertools.count(), {}, {}, None

    def request(command, **conditions):
        answers[id := next(ids)] = asyncio.get_running_loop().create_future()
        kibitzer.stdin.write(json.dumps({"id": id, "command": command, **conditions}).encode() + b"\n")
        return answers[id]

    async def move(game):
        for command in [*PLAN, "resign"]:
            answer = await request(command, game=game, expires_ms=30_000)
            if answer.get("content", {}).get("reason") != "illegal_move":
                return

    async for line in kibitzer.stdout:
        event = json.loads(line)
        if event["event"] in ("reply", "failed"):
            answers.pop(event["id"]).set_result(event)
        elif event["event"] == "session_ready":
            request("match Whetstone 5 0 unrated white")
        elif event["event"] == "position" and event["relation"] == 1 and event["fen"] not in moves:
            moves[event["fen"]] = asyncio.create_task(move(event["game"]))  # a refused move repeats the board
        elif event["event"] == "game_ended":
            result = event["result"]
            print(event["white"], event["black"], result, event["reason"])
            request("quit")
    return 0 if result else 1


sys.exit(asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "demo")))
