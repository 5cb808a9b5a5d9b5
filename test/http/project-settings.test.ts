/** What an agent of a client with a ceiling is started with: nothing that stands in the project but its instructions. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startServer } from '../support/start-server.ts'

/** Notes its arguments, its input and the files that it was given, and answers. */
const AGENT = `#!/bin/sh
seen="$HOME/seen/\${0##*/}"
mkdir -p "$seen"
cat > "$seen/stdin"
echo "$GEMINI_CLI_TRUST_WORKSPACE" > "$seen/trust"
while [ $# -gt 0 ]; do
  echo "$1" >> "$seen/argv"
  case "$1" in --settings|--admin-policy) cp "$2" "$seen/file";; esac
  shift
done
if [ -n "$GEMINI_CLI_HOME" ]; then cp -RL "$GEMINI_CLI_HOME/.gemini" "$seen/home"; fi
echo hello
`

const PLANTED = {
  '.claude/settings.json': '{"hooks":{}}',
  '.codex/config.toml': 'model = "planted"',
  '.gemini/settings.json': '{"mcpServers":{}}',
  'CLAUDE.md': 'For claude.',
  'AGENTS.md': 'For codex.',
  'GEMINI.md': 'For gemini.',
}

const OF_THE_USER = {
  '.claude/settings.json': '{"model":"opus","permissions":{"allow":["Bash(*)"],"deny":["WebFetch"]}}',
  '.gemini/settings.json': '{"security":{"auth":{"selectedType":"oauth-personal"}}, // mine\n"mcpServers":{"mine":{}}}',
  '.gemini/oauth_creds.json': 'a login',
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}

const AGENTS = ['claude', 'codex', 'gemini']

async function start(ceilings: Record<string, string>) {
  const server = await startServer({ server: ceilings })
  const home = dirname(server.workdir)
  write(server.workdir, PLANTED)
  write(home, OF_THE_USER)
  for (const backend of AGENTS) writeFileSync(join(home, 'bin', backend), AGENT, { mode: 0o755 })
  return {
    home,
    write: (files: Readonly<Record<string, string>>) => write(server.workdir, files),
    prompt: (backend: string) =>
      server.request('/api/v1/prompt', { method: 'POST', body: { backend, prompt: 'say hello' } }),
    seen: (backend: string, name: string) => readFileSync(join(home, 'seen', backend, name), 'utf8'),
    has: (backend: string, name: string) => existsSync(join(home, 'seen', backend, name)),
  }
}

describe('an agent under a ceiling', () => {
  it('gets the instructions of the project, and no setting of the user that allows something', async () => {
    const { prompt, seen, home } = await start({ max_approval_mode: 'always' })
    for (const backend of AGENTS) {
      expect((await prompt(backend)).body, backend).toMatchObject({ output: 'hello', exit_code: 0 })
    }
    expect(seen('claude', 'argv')).toContain(`--add-dir\n${join(home, 'work')}\n--setting-sources=\n`)
    const deny = ['WebFetch', `Read(/${join(home, '.drover')})`, `Read(/${join(home, '.drover')}/**)`]
    expect(JSON.parse(seen('claude', 'file'))).toEqual({ model: 'opus', permissions: { deny } })
    expect(seen('codex', 'argv')).toContain(`projects={"${join(home, 'work')}"={trust_level="untrusted"}}\n`)
    expect(seen('codex', 'stdin')).toContain('For codex.')
    expect(seen('gemini', 'trust')).toBe('false\n')
    expect(seen('gemini', 'file')).toContain('run_shell_command')
    expect(JSON.parse(seen('gemini', 'home/settings.json'))).toMatchObject({
      security: { auth: { selectedType: 'oauth-personal' }, folderTrust: { enabled: false } },
    })
    expect(seen('gemini', 'home/project-instructions.md')).toBe('For gemini.')
    expect(seen('gemini', 'home/oauth_creds.json')).toBe('a login')
    expect(existsSync(join(home, '.gemini/oauth_creds.json'))).toBe(true)
  })

  it('imports no file that its instructions name, such as the settings of the user', async () => {
    const { prompt, seen, write } = await start({ max_approval_mode: 'always' })
    write({ 'GEMINI.md': '@./settings.json\nSee @oauth_creds.json, a@b.c and `@x`.\n\t@/etc/passwd' })
    await prompt('gemini')
    expect(seen('gemini', 'home/project-instructions.md')).toBe(
      '\\@./settings.json\nSee \\@oauth_creds.json, a@b.c and `@x`.\n\t\\@/etc/passwd',
    )
  })

  it('is the only one that does: others read the project themselves', async () => {
    const { prompt, seen, has } = await start({})
    for (const backend of AGENTS) await prompt(backend)
    expect(seen('claude', 'argv')).not.toContain('--setting')
    expect([seen('codex', 'argv').includes('projects'), seen('codex', 'stdin')]).toEqual([false, 'say hello'])
    expect([seen('gemini', 'trust'), has('gemini', 'home')]).toEqual(['true\n', false])
  })
})
