/** Plays one turn: the answer in the agent's voice, and whatever the script spoils about it. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay, setImmediate as yieldOnce } from 'node:timers/promises'
import type { Answer, Reply, ToolCall, ToolResult } from './answer.ts'
import type { Voice } from './dialect.ts'
import { type Ending, onStderr, onStdout, refuse, type Said } from './said.ts'
import type { Point, Script } from './script.ts'
import { forever, type Stage } from './stage.ts'

const FLOOD_BATCH = 100

export type Turn = {
  prompt: string
  answer: Answer
  voice: Voice
  script: Script
  stage: Stage
  wordMs: number
  /** Before each piece of text. */
  permit(): Promise<void>
  runTool(call: ToolCall): Promise<ToolResult>
  startDaemon(): Promise<void>
  /** Just before the closing event. */
  onAnswered(): void
  onHang(): void
  crash(): void
}

export async function perform(turn: Turn): Promise<Ending> {
  const { script, stage } = turn
  if (script.forkDaemon) await turn.startDaemon()
  if (script.stderr !== undefined) await stage.say(onStderr(script.stderr))
  if (script.delayMs !== undefined) await delay(script.delayMs)
  await reach('start', turn)
  const ending = await (replay(script) ?? speak(turn))
  return { said: script.halfLine ? halve(ending.said) : ending.said, exit: script.exitCode ?? ending.exit }
}

function replay(script: Script): Ending | undefined {
  if (script.plainText !== undefined) return { said: onStdout(`${script.plainText}\n`), exit: 0 }
  if (script.replay === undefined) return undefined
  try {
    return { said: onStdout(readFileSync(script.replay)), exit: 0 }
  } catch {
    return refuse(`cannot read the recording ${script.replay}`, 1)
  }
}

async function speak(turn: Turn): Promise<Ending> {
  const { voice, stage, answer } = turn
  await stage.say(voice.begin?.(turn.prompt))
  await reach('init', turn)
  await makeNoise(turn)
  if (answer.failure !== undefined) return voice.fail(answer.failure)
  for (const reply of answer.replies) await speakReply(turn, reply)
  await reach('text', turn)
  turn.onAnswered()
  return { said: voice.finish(answer.usage), exit: 0 }
}

async function speakReply(turn: Turn, { thinking, chunks, call }: Reply): Promise<void> {
  const { voice, stage } = turn
  await stage.say(voice.request?.())
  if (thinking !== undefined) await stage.say(voice.thought?.(thinking))
  await stage.say(voice.textStart?.())
  for (const chunk of chunks) {
    await turn.permit()
    await stage.say(voice.word?.(chunk))
    await reach('word', turn)
    await pause(turn.wordMs)
  }
  await stage.say(voice.textEnd?.(chunks.join('')))
  if (call === undefined) return stage.say(voice.replyEnd?.('end_turn'))
  await stage.say(voice.toolCall?.(call))
  await stage.say(voice.replyEnd?.('tool_use'))
  await stage.say(voice.toolResult?.(call, await turn.runTool(call)))
}

async function makeNoise({ script, voice, stage, wordMs }: Turn): Promise<void> {
  for (const line of script.garbageLines ?? []) await stage.say(onStdout(`${line}\n`))
  if (script.longLineBytes !== undefined) await stage.say(onStdout(longLine(voice, script.longLineBytes)))
  for (let left = script.lines ?? 0; left > 0; left -= FLOOD_BATCH) {
    const batch = Array.from({ length: Math.min(left, FLOOD_BATCH) }, (_, at) => voice.textLine(`line ${left - at} `))
    await stage.say(onStdout(batch.join('')))
  }
  for (let attempt = 1; script.retryForever; attempt++) {
    await stage.say(voice.retry?.(attempt))
    await pause(wordMs)
  }
}

function longLine(voice: Voice, bytes: number): string {
  const frame = Buffer.byteLength(voice.textLine('')) - '\n'.length
  return voice.textLine('x'.repeat(Math.max(0, bytes - frame)))
}

/** Even the shortest pause lets signals in. */
async function pause(ms: number): Promise<void> {
  await (ms === 0 ? yieldOnce() : delay(ms))
}

async function reach(point: Point, { script, onHang, crash }: Turn): Promise<void> {
  if (script.crashAfter === point) crash()
  if (script.hangAfter === point) {
    onHang()
    await forever()
  }
}

function halve(said: Said): Said {
  const { to, text } = said.at(-1) ?? { to: 'stdout', text: '' }
  return [...said.slice(0, -1), { to, text: text.slice(0, text.length / 2) }]
}
