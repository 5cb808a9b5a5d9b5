import { readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { checkCliError } from '../../src/contract/reports.ts'
import { checkSourceCandidate } from '../../src/contract/source-candidate.ts'
import { digestUnavailableWorkspace } from '../../src/kit/digest.ts'
import { readEnvelope } from '../../src/source/read-source.ts'
import { callMain } from '../support/call-main.ts'
import { type FakeGitHub, installFakeGh, toFakeGitHub } from '../support/fake-gh.ts'
import { NOWHERE } from '../support/nowhere.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { DROVER, runAt, temporaryDirectory } from '../support/run-drover.ts'
import { bodyDigest, commentText, FIVE_SECTIONS, ISSUE_URL, makeBundle } from '../support/source-bundle.ts'

const bundle = makeBundle()
const TOKEN = 'a-token-of-no-known-form'

/** A directory to work in, with a fake `gh` in PATH if `github` is given. */
function open(github?: FakeGitHub) {
  const directory = realpathSync(temporaryDirectory())
  const path = github === undefined ? NOWHERE : `${installFakeGh(directory, github).bin}:/usr/bin:/bin`
  const env = { PATH: path, HOME: directory, GH_TOKEN: TOKEN }
  const drover = (...args: string[]) => callMain(['source', ...args], { cwd: directory, env })
  const shell = (line: string) => {
    const script = `drover() { '${process.execPath}' '${DROVER}' "$@"; }\n${line}`
    return runAt(directory, ['bash', '-c', script], { ...env, PATH: `${path}:${process.env['PATH']}` })
  }
  const write = (name: string, content: string) => {
    writeFileSync(join(directory, name), content)
    return name
  }
  return { directory, env, drover, shell, write }
}

/** The error on stderr; stdout must be empty. */
function errorOf({ stderr, stdout, code }: { stderr: string; stdout: string; code: number | null }) {
  const error = checkCliError(JSON.parse(stderr))
  expect({ stdout, code, lines: stderr.split('\n').length }).toEqual({ stdout: '', code: error.exit_code, lines: 2 })
  return error
}

describe('drover source check', () => {
  it('says that an issue can be pinned', async () => {
    const { drover, write } = open()
    const { code, stdout, stderr } = await drover('check', write('e.json', JSON.stringify(bundle)))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^https:\/\/github.com\/ada\/weather\/issues\/7 can be pinned: Show the wind in knots\n {2}source revision +sha256:\w{64}\n {2}requirements revision +sha256:\w{64}\n {2}section outcome, 36 bytes\n/,
    )
  })

  it('removes characters that reverse the direction of text', async () => {
    const { drover, write } = open()
    const titled = await drover('check', write('e.json', JSON.stringify({ ...bundle, title: 'Wind\u202e in knots' })))
    expect(titled.stdout).toContain('can be pinned: Wind in knots\n')
    const body = '<!-- drover-level: change\u202e/v9 -->\n'
    const marked = await drover('check', write('e.json', JSON.stringify({ ...bundle, body })))
    expect(marked).toMatchObject({ code: 3, stdout: expect.stringContaining('cannot be pinned') })
    expect(marked.stdout).not.toContain('\u202e')
  })

  it('says why an issue cannot be pinned, and what to do', async () => {
    const [first, ...others] = bundle.comments
    const edited = { ...bundle, comments: [{ ...first, body: `${first?.body}!` }, ...others] }
    const { drover, write } = open()
    const { code, stdout, stderr } = await drover('check', write('e.json', JSON.stringify(edited)))
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
    expect(stdout).toContain(`${ISSUE_URL} cannot be pinned: source_section_hash_mismatch\n  section outcome: `)
    expect(stdout).toContain('Post the new text as a new comment')
  })

  it.each([
    ['valid', bundle, 0, 'valid_change'],
    ['invalid', { ...bundle, body: 'x' }, 3, 'change_marker_required'],
  ] as const)('gives a candidate that is %s as JSON', async (classification, envelope, exit, classification_code) => {
    const { drover, write } = open()
    const { code, stdout, stderr } = await drover('check', write('e.json', JSON.stringify(envelope)), '--json')
    expect({ code, stderr, lines: stdout.split('\n').length }).toEqual({ code: exit, stderr: '', lines: 2 })
    const candidate_id = 'source-check'
    expect(checkSourceCandidate(JSON.parse(stdout))).toMatchObject({
      candidate_id,
      classification,
      classification_code,
    })
  })

  it('prints no result for input that is not an envelope', async () => {
    const { drover, write } = open()
    const error = errorOf(await drover('check', write('e.json', '{}'), '--json'))
    expect(error).toMatchObject({ code: 'invalid_source', exit_code: 2 })
    expect(error.message).toContain('$.source_version is required')
  })

  it('reads standard input', async () => {
    const { shell, write } = open()
    write('e.json', JSON.stringify(bundle))
    expect((await shell('drover source check - < e.json')).code).toBe(0)
  })

  it.each([
    ['is not JSON', '{', 'the source is not a valid envelope: it is not usable JSON at $ (line 1, column 2)'],
    ['breaks a rule', JSON.stringify({ ...bundle, host: 'x' }), '$.host must be "github.com"'],
    ['is too large', JSON.stringify(bundle).padEnd(LIMITS.envelopeBytes + 1), 'the limit is 16777216'],
  ])('refuses an envelope that %s', async (_name, content, says) => {
    const { drover, write } = open()
    const error = errorOf(await drover('check', write('e.json', content)))
    expect(error).toMatchObject({ code: 'invalid_source', exit_code: 2, message: expect.stringContaining(says) })
  })

  it('refuses a symbolic link and a missing file', async () => {
    const { drover, shell } = open()
    await shell('echo {} > e.json; ln -s e.json link.json')
    expect(errorOf(await drover('check', 'link.json')).message).toContain('symbolic link')
    expect(errorOf(await drover('check', 'nowhere.json')).message).toContain('does not exist')
  })
})

describe('an error of a source command', () => {
  it('has a digest of the path as workspace_identity outside of a worktree', async () => {
    const { drover, directory } = open()
    expect(errorOf(await drover('check', 'nowhere.json')).next).toEqual({
      operation: 'none',
      workspace_identity: digestUnavailableWorkspace(directory),
      variants: [],
    })
  })

  it.each([
    ['a flag that there is not', ['check', 'e.json', '--nope']],
    ['a missing argument', ['check']],
    ['an argument too many', ['digest', 'a', 'b']],
    ['no subcommand', []],
    ['a mistyped subcommand', ['chek']],
    ['flags that cannot be used together', ['draft', '--title', 'a', '--comment', `${ISSUE_URL}#issuecomment-1`]],
    ['a flag without the one it belongs to', ['draft', '--amends', 'x']],
    ['a flag with an empty value', ['draft', '--title', '']],
    ['a malformed revision', ['draft', '--amends', 'sha256:0', '--comment', `${ISSUE_URL}#issuecomment-1`]],
    ['an envelope with an empty name', ['check', '']],
    ['a comment with an empty name', ['digest', '']],
  ])('is invalid_usage for %s', async (_name, args) => {
    expect(errorOf(await open().drover(...args))).toMatchObject({ code: 'invalid_usage', exit_code: 2 })
  })

  it('exits with 1 if the error cannot be written', async () => {
    expect((await open().shell('drover source check nowhere.json 2> /dev/full')).code).toBe(1)
  })

  it.runIf(hasTerminals)('is readable on a terminal', async () => {
    const { directory, env } = open({})
    const { ended } = startOnTerminal(['source', 'fetch', '7'], { cwd: directory, env })
    const { code, seen } = await ended
    expect(code).toBe(2)
    expect(seen).toBe(
      'drover: "7" is not the URL of an issue; use a URL such as\nhttps://github.com/OWNER/REPO/issues/7\nRun "drover source fetch --help" for help.\n',
    )
  })

  it.runIf(hasTerminals)('is JSON on a terminal with --json', async () => {
    const { directory, env } = open({})
    const { ended } = startOnTerminal(['source', 'check', 'nowhere.json', '--json'], { cwd: directory, env })
    expect(checkCliError(JSON.parse((await ended).seen))).toMatchObject({ code: 'invalid_source' })
  })
})

describe('drover source digest', () => {
  const [draft] = FIVE_SECTIONS
  const text = draft === undefined ? '' : commentText(draft)

  it.each([
    ['a comment', text],
    ['a comment with other line ends', text.replaceAll('\n', '\r\n')],
  ])('prints the digest of %s', async (_name, body) => {
    const { drover, write } = open()
    expect(await drover('digest', write('c.md', body))).toEqual({
      code: 0,
      stdout: `${bodyDigest(text)}\n`,
      stderr: '',
    })
  })

  it('prints the digest of standard input', async () => {
    const { shell, write } = open()
    write('c.md', text)
    const { stdout } = await shell('drover source digest - < c.md')
    expect(bundle.body).toContain(stdout.trim())
  })

  it('warns about a comment that no manifest can list', async () => {
    const { drover, write } = open()
    const { code, stdout, stderr } = await drover('digest', write('c.md', 'Nice!'))
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${bodyDigest('Nice!')}\n` })
    expect(stderr).toContain('the first line is not a section marker')
  })

  it.each([
    ['is not text', 'c.md', 'c.md is not UTF-8 text'],
    ['is too large', 'large.md', 'the limit is 524288'],
    ['does not exist', 'nowhere.md', 'does not exist'],
    ['is a directory', '.', 'is a directory'],
  ])('refuses a file that %s', async (_name, file, says) => {
    const { drover, shell, write } = open()
    await shell("printf '\\xff' > c.md")
    write('large.md', 'x'.repeat(2 * LIMITS.sectionBytes + 1))
    const error = errorOf(await drover('digest', file))
    expect(error).toMatchObject({ code: 'invalid_comment', exit_code: 2, message: expect.stringContaining(says) })
  })
})

describe('drover source fetch', () => {
  it('prints an envelope that can be checked', async () => {
    const { drover, shell } = open(toFakeGitHub(bundle))
    const { code, stdout, stderr } = await drover('fetch', ISSUE_URL)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const fetched = readEnvelope(Buffer.from(stdout), { input: 'it' })
    expect(fetched).toEqual({ ...bundle, fetched_at: fetched.fetched_at })
    expect((await shell(`drover source fetch ${ISSUE_URL} | drover source check -`)).code).toBe(0)
  })

  it('writes a file that other users cannot read', async () => {
    const { drover, directory } = open(toFakeGitHub(bundle))
    expect(await drover('fetch', ISSUE_URL, '-o', 'e.json')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(statSync(join(directory, 'e.json')).mode & 0o777).toBe(0o600)
    expect((await drover('check', 'e.json')).code).toBe(0)
  })

  it('warns about an issue that cannot be pinned', async () => {
    const [, ...comments] = bundle.comments
    const { code, stdout, stderr } = await open(toFakeGitHub({ ...bundle, comments })).drover('fetch', ISSUE_URL)
    expect(code).toBe(0)
    expect(JSON.parse(stdout).comments).toHaveLength(4)
    expect(stderr).toContain('warning: this issue cannot be pinned (source_section_missing): section outcome')
  })

  it.each<[string, FakeGitHub | undefined, string]>([
    ['gh is missing', undefined, 'gh_missing'],
    ['gh is not logged in', { failure: 'logged_out' }, 'provider_login_required'],
    ['the account lacks permission', { failure: 'forbidden' }, 'provider_forbidden'],
    ['the issue does not exist', {}, 'issue_not_found'],
    ['there were too many requests', { failure: 'rate_limited' }, 'provider_rate_limited'],
    ['the issue is not a change', toFakeGitHub({ ...bundle, body: 'A bug.', comments: [] }), 'issue_not_a_change'],
    ['there is no network', { failure: 'offline' }, 'provider_unreachable'],
    ['the answer is invalid', { failure: 'garbage' }, 'provider_answer_invalid'],
    ['gh fails for an unknown reason', { failure: 'unknown' }, 'gh_failed'],
    ['GitHub answers with an unknown error', { failure: 'unknown_partial_error' }, 'gh_failed'],
  ])('reports that %s', async (_name, github, code) => {
    const ran = await open(github).drover('fetch', ISSUE_URL)
    expect(errorOf(ran)).toMatchObject({ code, exit_code: 3 })
    expect(ran.stderr).not.toContain(TOKEN)
  })
})

describe('drover source draft', () => {
  it('prints templates for five comments', async () => {
    const { code, stdout } = await open().drover('draft', '--title', 'Show the wind in knots')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Title: Show the wind in knots\n/)
    expect(stdout.match(/<!-- drover-section:v1 key=\w+ -->\n## /g)).toHaveLength(5)
  })

  it('prints a body with which the issue can be pinned', async () => {
    const { drover } = open(toFakeGitHub(bundle))
    const urls = bundle.comments.flatMap(({ url }) => ['--comment', url])
    const { code, stdout, stderr } = await drover('draft', ...urls)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const drafted = open()
    const file = drafted.write('e.json', JSON.stringify({ ...bundle, body: stdout }))
    expect((await drafted.drover('check', file)).stdout).toContain('can be pinned')
  })

  it('reports a missing comment', async () => {
    const { drover } = open(toFakeGitHub(bundle))
    const error = errorOf(await drover('draft', '--comment', `${ISSUE_URL}#issuecomment-5`))
    expect(error).toMatchObject({ code: 'issue_not_found', exit_code: 3 })
  })
})

describe('docs/source-bundles.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/source-bundles.md'), 'utf8')
  const [, example = ''] = /^```json\n(.*?)^```/ms.exec(page) ?? []

  it('has an example that can be pinned', async () => {
    const { drover, write } = open()
    expect((await drover('check', write('e.json', example))).stdout).toContain('can be pinned: Show the wind in knots')
  })

  it('shows the manifest and the section of its example', () => {
    const [, section = ''] = /^```md\n(.*?)^```/ms.exec(page) ?? []
    const { comments } = JSON.parse(example)
    expect(comments[0].body).toBe(section)
    expect(page.split('## A complete example')[0]).toContain(`"body_sha256": "${bodyDigest(section)}"`)
  })

  it('lists every code of a result', () => {
    const documented = [...page.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(
      ([, cell = '']) => cell.match(/\w+/g) ?? [],
    )
    const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../../schema/machine-protocol-v2.json'), 'utf8'))
    const codes: string[] = schema.$defs.sourceCandidate.oneOf[1].properties.classification_code.enum
    expect(codes).toHaveLength(12)
    expect(codes.filter((code) => code !== 'invalid_change_body' && !documented.includes(code))).toEqual([])
  })
})
