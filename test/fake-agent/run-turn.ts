/** Runs one turn: prints the answer in the agent's format, with everything that the script spoils. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay, setImmediate as yieldOnce } from 'node:timers/promises'
import type { ScriptedAnswer, ScriptedCall, ScriptedReply } from './answer.ts'
import type { AgentOutput, ToolOutcome } from './dialect.ts'
import { type Ending, type Output, refuse } from './output.ts'
import { forever, type OutputStreams } from './output-streams.ts'
import type { Point, Script } from './script.ts'

const FLOOD_BATCH = 100

export type Turn = {
  prompt: string
  answer: ScriptedAnswer
  format: AgentOutput
  script: Script
  streams: OutputStreams
  /** Called before each piece of text. */
  waitForPermit(): Promise<void>
  runTool(call: ScriptedCall): Promise<ToolOutcome>
  /** Makes the calls of the script. Returns the text with their results. */
  callTools(): Promise<(text: string) => string>
  startDaemon(): Promise<void>
  /** Called just before the result is printed. */
  onAnswered(): void
  onHang(): void
  crash(): void
}

export async function runTurn(turn: Turn): Promise<Ending> {
  const { script, streams } = turn
  if (script.forkDaemon) await turn.startDaemon()
  if (script.stderr !== undefined) await streams.write({ stderr: script.stderr })
  if (script.delayMs !== undefined) await delay(script.delayMs)
  await reach('start', turn)
  const ending = await (replay(script) ?? printAnswer(turn))
  return {
    output: script.halfLine ? halve(ending.output) : ending.output,
    exitCode: script.exitCode ?? ending.exitCode,
  }
}

function replay(script: Script): Ending | undefined {
  if (script.plainText !== undefined) return { output: `${script.plainText}\n`, exitCode: 0 }
  if (script.replay === undefined) return undefined
  try {
    return { output: { stdout: readFileSync(script.replay) }, exitCode: 0 }
  } catch {
    return refuse(`cannot read the recording ${script.replay}`, 1)
  }
}

async function printAnswer(turn: Turn): Promise<Ending> {
  const { format, streams, answer } = turn
  await streams.write(format.begin?.(turn.prompt))
  await reach('init', turn)
  await makeNoise(turn)
  if (answer.failure !== undefined) return format.fail(answer.failure)
  const fill = await turn.callTools()
  for (const reply of answer.replies) await printReply(turn, { ...reply, chunks: reply.chunks.map(fill) })
  await reach('text', turn)
  turn.onAnswered()
  return { output: format.finish(answer.usage), exitCode: 0 }
}

async function printReply(turn: Turn, { thinking, chunks, call }: ScriptedReply): Promise<void> {
  const { format, streams } = turn
  await streams.write(format.request?.())
  if (thinking !== undefined) await streams.write(format.thinking?.(thinking))
  await streams.write(format.textStart?.())
  for (const chunk of chunks) {
    await turn.waitForPermit()
    await streams.write(format.word?.(chunk))
    await reach('word', turn)
    await pause(turn.script.chunkMs)
  }
  await streams.write(format.textEnd?.(chunks.join('')))
  if (call === undefined) return streams.write(format.replyEnd?.('end_turn'))
  await streams.write(format.toolCall?.(call.command))
  await streams.write(format.replyEnd?.('tool_use'))
  await streams.write(format.toolResult?.(call.command, await turn.runTool(call)))
}

async function makeNoise({ script, format, streams, answer }: Turn): Promise<void> {
  for (const line of script.garbageLines ?? []) await streams.write(`${line}\n`)
  if (script.longLineBytes !== undefined) await streams.write(longLine(format, script.longLineBytes))
  for (let left = script.lines ?? 0; left > 0; left -= FLOOD_BATCH) {
    const batch = Array.from({ length: Math.min(left, FLOOD_BATCH) }, (_, at) => format.textLine(`line ${left - at} `))
    await streams.write(batch.join(''))
  }
  for (let attempt = 1; script.retryForever; attempt++) {
    await streams.write(format.retry?.(attempt, answer.failure))
    await pause(script.chunkMs)
  }
}

function longLine(format: AgentOutput, bytes: number): string {
  const frame = Buffer.byteLength(format.textLine('')) - '\n'.length
  return format.textLine('x'.repeat(Math.max(0, bytes - frame)))
}

/** Even a pause of 0 ms lets signal handlers run. */
async function pause(ms = 0): Promise<void> {
  await (ms === 0 ? yieldOnce() : delay(ms))
}

async function reach(point: Point, { script, onHang, crash }: Turn): Promise<void> {
  if (script.crashAfter === point) crash()
  if (script.hangAfter === point) {
    onHang()
    await forever()
  }
}

/** Cuts the last output in its middle. */
function halve(output: Output): Output {
  if (typeof output === 'string') return output.slice(0, output.length / 2)
  const { stdout = '', stderr = '' } = output
  return { stdout: stdout.slice(0, stdout.length / 2), stderr: stderr.slice(0, stderr.length / 2) }
}
