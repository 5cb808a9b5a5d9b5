import type { Runtime } from '../command.ts'
import { promptMissing } from '../faults.ts'

/** Asks a question and waits for a line; undefined at the end of input. */
export type Ask = (question: string) => Promise<string | undefined>

/** Asks the user at the terminal one or more questions. */
export async function withQuestions<Result>(
  { stdin, terminal }: Pick<Runtime, 'stdin' | 'terminal'>,
  work: (ask: Ask) => Promise<Result>,
): Promise<Result> {
  const lines = await stdin.lines()
  const ask = async (question: string) => {
    await terminal.err.write(question)
    return (await lines.next())?.trim()
  }
  try {
    return await work(ask)
  } finally {
    lines.close()
  }
}

/** Whether a user can see and answer a question. */
export function isInteractive({ stdin, terminal }: Pick<Runtime, 'stdin' | 'terminal'>): boolean {
  return stdin.isTty && terminal.err.isTty
}

export async function askForPrompt(ask: Ask): Promise<string> {
  const prompt = await ask('Prompt: ')
  if (prompt === undefined || prompt === '') throw promptMissing({})
  return prompt
}
