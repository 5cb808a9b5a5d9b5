import type { LineAgent } from '../adapter/agent.ts'
import { createOutputReader } from '../adapter/output-reader.ts'
import { toGeminiCleanUp, toGeminiCommand } from './command.ts'
import { geminiNeeds } from './gemini-needs.ts'
import { GeminiOutput } from './output.ts'
import { hasLogin, readSurroundings } from './private-home.ts'
import { deleteStoredSession } from './stored-session.ts'

export const gemini: LineAgent = {
  backend: 'gemini',
  executable: 'gemini',
  login: 'run `gemini` in a terminal and choose how to log in (/auth), or set GEMINI_API_KEY',
  hasLogin,
  // It does not print its thoughts.
  silenceMs: 300_000,
  abilities: {
    deltas: true,
    resume: true,
    system_prompt: 'before the prompt',
    max_turns: false,
    output_schema: false,
    images: true,
    documents: true,
    os_sandbox: false,
    usage: { cached: true, reasoning: true },
  },
  countsApart: { cache: false, reasoning: true },
  reports: { tokens: true, cost: false, exitCodes: false },
  cancelSignal: 'SIGTERM',
  toCommand: toGeminiCommand,
  boundaryNeeds: geminiNeeds,
  readSurroundings,
  createReader: () => createOutputReader(new GeminiOutput()),
  deleteSession: deleteStoredSession,
  toCleanUpCommand: toGeminiCleanUp,
  extraFlags: {
    '--model': 'value',
    '-m': 'value',
    '--extensions': 'value',
    '-e': 'value',
    '--debug': 'switch',
    '-d': 'switch',
  },
  modeFlags: {
    '--yolo': 'switch',
    '-y': 'switch',
    '--approval-mode': 'value',
    '--allowed-tools': 'values',
    '--include-directories': 'values',
  },
}
