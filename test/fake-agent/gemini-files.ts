/** The files that gemini writes: transcripts of its sessions, and reports about errors. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** Undefined if gemini has never been used in this home: then the fake agent stores nothing there. */
export function geminiHome(env: Environment) {
  const root = join(env['HOME'] ?? '/none', '.gemini')
  if (!existsSync(root)) return undefined
  const chats = join(root, 'tmp', 'work', 'chats')
  return {
    save(id: string, { cwd, prompt }: { cwd: string; prompt: string }) {
      mkdirSync(chats, { recursive: true })
      writeFileSync(join(root, 'projects.json'), JSON.stringify({ projects: { [cwd]: 'work' } }))
      const lines = [{ sessionId: id }, { type: 'user', content: prompt }]
      const name = `session-2026-11-15T20-39-${id.slice(0, 8)}.jsonl`
      writeFileSync(join(chats, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    },
    remove(id: string) {
      const names = existsSync(chats) ? readdirSync(chats) : []
      for (const name of names) if (name.includes(id.slice(0, 8))) rmSync(join(chats, name))
    },
  }
}

export function writeReport(env: Environment, prompt: string): void {
  const directory = env['TMPDIR']
  if (directory === undefined) return
  writeFileSync(join(directory, `gemini-client-error-${process.pid}.json`), JSON.stringify({ context: [prompt] }))
}
