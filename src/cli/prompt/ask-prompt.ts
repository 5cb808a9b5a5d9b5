import type { Runtime } from '../command.ts'
import { promptMissing } from '../faults.ts'

/** Puts a question and waits for a line; undefined when there will be none. */
export type Ask = (question: string) => Promise<string | undefined>

/** A conversation with the person at the terminal. */
export async function converse<Result>(
  { stdin, terminal }: Pick<Runtime, 'stdin' | 'terminal'>,
  talk: (ask: Ask) => Promise<Result>,
): Promise<Result> {
  const lines = await stdin.lines()
  const ask = async (question: string) => {
    await terminal.err.write(question)
    return (await lines.next())?.trim()
  }
  try {
    return await talk(ask)
  } finally {
    lines.close()
  }
}

/** Whether somebody is there who could answer a question. */
export function isSomebodyThere({ stdin, terminal }: Pick<Runtime, 'stdin' | 'terminal'>): boolean {
  return stdin.isTty && terminal.err.isTty
}

export async function askForPrompt(ask: Ask): Promise<string> {
  const prompt = await ask('Prompt: ')
  if (prompt === undefined || prompt === '') throw promptMissing({})
  return prompt
}
