import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { installDrover } from './support/drover-shim.ts'
import { installFakeGh, toFakeGitHub } from './support/fake-gh.ts'
import { firstOf } from './support/full-counts.ts'
import { patternOf } from './support/markdown.ts'
import { runAt } from './support/run-drover.ts'
import { createRunFixture } from './support/run-fixture.ts'
import { makeBundle } from './support/source-bundle.ts'

const DOCS = join(import.meta.dirname, '..', 'docs')
const SEPARATOR = '=== the next block ==='

/** A block marked with `run`, and the text block after it. */
const RUNNABLE = /^```sh run\n(.*?)^```\n\n```text\n(.*?)^```$/gms

/** A repository, in which drover is installed and GitHub has one issue. */
function openRepository() {
  const fixture = createRunFixture()
  const { bin } = installFakeGh(fixture.scratch, toFakeGitHub(makeBundle()))
  const { bin: shim } = installDrover(fixture.scratch)
  fixture.write('README.md', '# Weather\n')
  fixture.commit()
  const env = {
    ...fixture.env,
    PATH: `${shim}:${bin}:${join(process.execPath, '..')}:${fixture.env.PATH}`,
    TMPDIR: fixture.scratch,
  }
  return { ...fixture, env }
}

describe.each(firstOf(['change-runs.md', 'machine-protocol.md']))('docs/%s', (name) => {
  const page = readFileSync(join(DOCS, name), 'utf8')
  const blocks = [...page.matchAll(RUNNABLE)].map(([, code = '', prints = '']) => ({ code, prints }))

  it('shows the output of every marked block', () => {
    expect(blocks.length).toBeGreaterThan(4)
    expect(page.match(/^```sh run$/gm)).toHaveLength(blocks.length)
  })

  it('has commands that print the shown output, in order', { timeout: 120_000 }, async () => {
    const { root, env, scratch } = openRepository()
    // The pages write to /tmp, which all users share.
    const script = ['set -e', ...blocks.map(({ code }) => code)]
      .join(`\necho '${SEPARATOR}'\n`)
      .replaceAll('/tmp/', `${scratch}/`)
    const { code, stdout, stderr } = await runAt(root, ['bash', '-c', script], env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const printed = stdout.split(`${SEPARATOR}\n`).slice(1)
    for (const [at, { prints }] of blocks.entries()) expect(printed[at]).toMatch(patternOf(prints))
  })
})
