/** A sandbox that a key or the settings require. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRepositoryAt } from '../support/git-repository.ts'
import { runDrover, temporaryDirectory } from '../support/run-drover.ts'
import { skipWithoutSandbox } from '../support/sandbox.ts'
import { startServer } from '../support/start-server.ts'

const AGENT = readFileSync(join(import.meta.dirname, '..', 'programs', 'inside-agent.cjs'), 'utf8')
const KEY = 'drover_0123456789abcdef'
const key = { name: 'ci', sha256: createHash('sha256').update(KEY).digest('hex'), requires_sandbox: true }

/** A server whose agent tries to read a file of the home directory. */
async function serve(path: string, more = {}) {
  const envIn = (workdir: string) => ({ PATH: `${join(dirname(workdir), 'bin')}:${path}` })
  const server = await startServer({ agents: 'none', server: { keys: [key], ...more }, envIn })
  const userHome = dirname(server.workdir)
  writeFileSync(join(userHome, 'canary'), 'secret')
  writeFileSync(join(userHome, 'bin', 'claude'), `#!${process.execPath}\n${AGENT}`, { mode: 0o755 })
  const attempts = [
    ['read', join(userHome, 'canary')],
    ['write', join(server.workdir, 'made'), 'x'],
    ['write', join(userHome, 'outside'), 'x'],
    ['arguments'],
  ]
  const body = { backend: 'claude', prompt: JSON.stringify(attempts) }
  const post = (more: object) =>
    server.request('/api/v1/prompt', {
      ...{ method: 'POST', headers: { authorization: `Bearer ${KEY}` }, body: { ...body, ...more } },
    })
  return { ...server, userHome, post }
}

describe('a key that requires a sandbox', () => {
  it('runs its agents inside, and cannot turn it off', async (test) => {
    skipWithoutSandbox(test)
    const { post } = await serve(process.env['PATH'] ?? '')
    const { status, body } = await post({})
    expect({ status, body }).toMatchObject({ status: 200, body: { boundary: { enforced_by: 'bubblewrap' } } })
    expect(JSON.parse((body as { output: string }).output).slice(0, 2)).toEqual([null, 'written'])
    expect(await post({ sandbox: 'off' })).toMatchObject({ status: 400, body: { error: 'sandbox_required' } })
    const dry = await post({ dry_run: true })
    expect(dry.body).toMatchObject({ output: expect.stringMatching(/^Would execute: .* # in drover's sandbox$/) })
  })

  it('may let agents run any command there under a ceiling, where the system keeps them to their directory', async (test) => {
    skipWithoutSandbox(test)
    const { post, userHome } = await serve(process.env['PATH'] ?? '', { max_sandbox_mode: 'workspace' })
    const { status, body } = await post({ approval_mode: 'sandboxed' })
    expect({ status, body }).toMatchObject({ status: 200, body: { boundary: { enforced_by: 'bubblewrap' } } })
    const [secret, inside, , argv] = JSON.parse((body as { output: string }).output)
    expect([secret, inside, argv]).toEqual([null, 'written', expect.stringContaining('bypassPermissions')])
    expect(existsSync(join(userHome, 'outside'))).toBe(false)
    expect(await post({ approval_mode: 'none', sandbox_mode: 'full' })).toMatchObject({
      ...{ status: 400, body: { error: 'sandbox_mode_above_ceiling' } },
    })
  })

  it('lets its agents write only in its directories, although the repository around them is larger', async (test) => {
    skipWithoutSandbox(test)
    const { post, workdir, changeKeys } = await serve(process.env['PATH'] ?? '')
    const part = join(workdir, 'part')
    createRepositoryAt(workdir)
    mkdirSync(part)
    const prompt = JSON.stringify([workdir, part].map((path) => ['write', join(path, 'made'), 'x']))
    const made = async (directories: string[]) => {
      await changeKeys([{ ...key, directories }])
      expect((await post({ prompt, workdir: part, approval_mode: 'sandboxed' })).status).toBe(200)
      return [workdir, part].map((path) => existsSync(join(path, 'made')))
    }
    expect(await made([part])).toEqual([false, true])
    expect(await made([workdir])).toEqual([true, true])
  })

  it('is refused where there is none', async () => {
    const { post, workdir } = await serve('')
    expect(await post({})).toMatchObject({ status: 503, body: { error: 'sandbox_unavailable' } })
    expect(existsSync(join(workdir, 'made'))).toBe(false)
  })
})

it('a server that must have a sandbox does not start without one', async () => {
  const home = temporaryDirectory()
  const env = { HOME: home, PATH: join(home, 'nothing'), DROVER_SANDBOX_MODE: 'required' }
  const { code, stdout, stderr } = await runDrover(['serve', '-p', '0', '--demo'], { env })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/sandbox\.mode is required, but there is no sandbox on this machine: bwrap is not in PATH/)
})
