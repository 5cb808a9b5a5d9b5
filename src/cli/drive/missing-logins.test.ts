import { describe, expect, it } from 'vitest'
import { OPTIONS } from '../../../test/support/drive-fixture.ts'
import type { AgentLocation } from '../../agents/locate-agents.ts'
import type { Channel } from '../terminal.ts'
import { noteMissingLogins } from './drive.ts'

async function notesOn({ isReviewed, isDemo = false }: { isReviewed?: boolean; isDemo?: boolean } = {}) {
  const written: string[] = []
  const err = { write: async (text: string) => written.push(text) } as unknown as Channel
  const locate = (backend: string) => {
    const agent = { login: `run \`${backend} login\``, hasLogin: (env: object) => 'KEY' in env && backend === 'claude' }
    return { agent, isDemo } as unknown as AgentLocation
  }
  const drive = { options: OPTIONS, ...(isReviewed !== undefined && { is_reviewed: isReviewed }) }
  await noteMissingLogins(drive, { prompts: { locate, env: { KEY: 'x' } }, err })
  return written
}

const CODEX = 'drover: warning: codex has no login that drover can see; to log in, run `codex login`\n'

describe('a person who starts a run at a terminal', () => {
  it('is told which of its agents has no login, and how to log in', async () => {
    expect(await notesOn()).toEqual([CODEX])
    expect(await notesOn({ isReviewed: true })).toEqual([CODEX])
  })

  it('is not told of an agent that is not used, or of the demo agent', async () => {
    expect(await notesOn({ isReviewed: false })).toEqual([])
    expect(await notesOn({ isDemo: true })).toEqual([])
  })
})
