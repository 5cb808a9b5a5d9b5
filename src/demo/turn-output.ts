import type { DemoFailure, DemoToolResult, DemoUsage } from './demo-answer.ts'

/** Formats the steps of a turn as one agent prints them on stdout. An agent prints nothing for a method it leaves out. */
export type TurnOutput = {
  begin(prompt: string): string
  thinking?(text: string): string
  word?(text: string): string
  /** The text of a reply is complete. */
  textEnd?(text: string): string
  toolCall(command: string): string
  toolResult(command: string, result: DemoToolResult): string
  finish(usage: DemoUsage): string
  fail(failure: DemoFailure): { output: string; exitCode: number }
}

/** What all the lines of one turn are about. */
export type DemoTurnFacts = { sessionId: string; model: string; hasPartialMessages: boolean }

export function toLines(events: readonly object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}
