/** Real agents inside of a boundary, in processes of their own and in those that stay up. */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentRequest } from '../../src/agents/adapter/agent.ts'
import { newScratchDirectory } from '../../src/agents/scratch-files.ts'
import { findSandboxPrograms } from '../../src/sandbox/find-programs.ts'
import { agentRequest } from '../support/agent-request.ts'
import { skipWithoutSandbox } from '../support/sandbox.ts'
import { sandboxParts } from '../support/sandbox-parts.ts'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { MODES, runRequest } from './modes.ts'
import { installed, processesIn, sessionFilesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const ways = installed.flatMap((agent) => MODES.map((mode) => ({ ...agent, mode })))

describe.each(ways)('the real $backend inside of a boundary, $mode', ({ backend, path, mode }) => {
  let setup: AgentSetup

  beforeEach((context) => {
    skipWithoutSandbox(context)
    setup = createAgentSetup(backend, path, upstream.port())
  })

  afterEach(async () => {
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  async function ask(scenario: string, over: Partial<AgentRequest> = {}) {
    const env = setup.env(scenario)
    const parts = sandboxParts(join(setup.home, 'drover'))
    const limits = { memoryBytes: undefined, processes: undefined, fileBytes: undefined }
    const hosts = [`127.0.0.1:${upstream.port()}`]
    return await runRequest(
      mode,
      agentRequest(backend, {
        ...{ model: MODELS[backend], workdir: realpathSync(setup.work), program: [path], env, timeoutMs: 60_000 },
        approvalMode: 'sandboxed',
        isRoot: process.getuid?.() === 0,
        scratchDirectory: newScratchDirectory(),
        boundary: {
          programs: findSandboxPrograms({ env, cwd: setup.work }, parts.forwarder),
          worktree: { root: realpathSync(setup.work) },
          caches: [],
          droverHome: parts.droverHome,
          settings: { hosts, env: ['FAKE_KEY', 'REAL_AGENT_HOME'], read: [], write: [], limits },
        },
        ...over,
      }),
    )
  }

  it('answers', async () => {
    expect(await ask('plain')).toMatchObject({ text: 'Hello from the fake model.', exitCode: 0 })
  })

  it('uses a tool without a question', async () => {
    const result = await ask('tool')
    expect(result).toMatchObject({ text: 'The command printed its output.', exitCode: 0 })
    expect(result.denials ?? []).toEqual([])
  })

  it('stores its session, and resumes it', async () => {
    const { sessionId } = await ask('plain')
    expect(sessionFilesIn(setup)).not.toEqual([])
    const again = await ask('plain', { resumeId: sessionId })
    expect(again).toMatchObject({ text: 'Hello from the fake model.', exitCode: 0, sessionId })
  })

  it('writes nothing if it may only read', async () => {
    await ask('write', { sandboxMode: 'read-only' })
    expect(existsSync(join(setup.work, 'written-by-tool.txt'))).toBe(false)
  })
})
