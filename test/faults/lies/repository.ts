/** Agents that change more than their branch, or what is known about their run. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { RunReader } from '../../../src/drive/service/run-reader.ts'
import { systemClock } from '../../../src/kit/clock.ts'
import { USER } from '../../../src/prompts/caller.ts'
import { locateGit } from '../../../src/workspace/git.ts'
import { droverPath } from '../../support/bundled-program.ts'
import { dataOf, HONEST } from '../../support/driven-home.ts'
import { replaceRepository } from '../../support/foreign-repository.ts'
import type { Lie } from './lie.ts'
import { COMMIT, question, reports } from './turns.ts'

const LOOK = { exit: 5, word: 'delivered, look first' } as const

/** What an agent does to the repository `$r` of its user, which has the branch `old`. */
const HARM: readonly (readonly [name: string, command: string, found: string])[] = [
  ['moves a branch of its user', 'git branch -f old HEAD~1', 'ref refs/heads/old'],
  ['deletes a branch of its user', 'git branch -q -D old', 'ref refs/heads/old'],
  ['adds a tag', 'git tag evil', 'ref refs/tags/evil'],
  ['changes a setting of git', 'git config user.signingkey x', 'config config'],
  ['adds a remote', 'git remote add evil https://example.com/evil.git', 'config config'],
  ['adds a hook', 'echo exit > "$r/.git/hooks/post-merge"', 'hook hooks/post-merge'],
  ['changes a file of its user', 'echo evil > "$r/sun.test.js"', 'file sun.test.js'],
  ['stages a file of its user', 'echo evil > "$r/new.txt"; git -C "$r" add new.txt', 'file new.txt'],
  ['checks out another branch for its user', 'git -C "$r" symbolic-ref HEAD refs/heads/old', 'head HEAD'],
  [
    'saves work of its user in the stash',
    'echo x >> "$r/wind.txt"; git -C "$r" -c user.name=a -c user.email=a@b stash -q',
    'ref refs/stash',
  ],
]

/** Programs that git would run for drover, each in a setting that the agent changes. */
const PROGRAMS: readonly (readonly [name: string, command: string])[] = [
  ['clean filter', 'git config filter.bad.clean "touch $ran; cat"; echo "* filter=bad" > .gitattributes'],
  ['textconv', 'git config diff.bad.textconv "touch $ran; cat"; echo "* diff=bad" > .gitattributes'],
  ['fsmonitor', 'git config core.fsmonitor "touch $ran; false"'],
]

const ranFile = (scratch: string) => join(scratch, 'ran')

/** Commands of drover for the run that the agent works on. */
const OWN_RUN = ['stop $id', 'answer $id yes', 'skip $id', 'drive $id']

export const REPOSITORY: readonly Lie[] = [
  ...HARM.map(
    ([name, command, found]): Lie => ({
      ...{ name, ...LOOK, flag: 'repository_changed' },
      ...(name.includes('moves') && { isInGate: true, isReal: true }),
      prepare: ({ git }) => {
        git('commit', '--quiet', '--allow-empty', '--message=Next')
        git('branch', 'old')
      },
      script: ({ repository: { root } }) => ({ implement: [{ ...HONEST, runs: [`r='${root}'; ${command}`] }] }),
      caught: ({ flags }) => ok(flags.includes(`repository_changed ${found}`), flags.join()),
    }),
  ),
  ...PROGRAMS.map(
    ([name, command]): Lie => ({
      name: `tells git to run a program, as a ${name}`,
      // Agents are told to ignore the setting, so the next one may start.
      ...(name === 'fsmonitor' ? LOOK : { exit: 4, word: 'waits for you' }),
      flag: 'agent_configuration_changed',
      script: ({ scratch }) => ({
        implement: [{ ...HONEST, runs: [`ran='${ranFile(scratch)}'; ${command}; git ls-files -z | xargs -0 touch`] }],
      }),
      caught: ({ home, flags }) => {
        ok(!existsSync(ranFile(home.scratch)), 'the program ran')
        ok(flags.includes('repository_changed config config'), flags.join())
      },
    }),
  ),
  {
    name: 'commits its work itself',
    ...{ exit: 0, word: 'delivered', flag: 'committed_by_agent' },
    script: { implement: [{ ...HONEST, runs: [`${COMMIT} --allow-empty -m mine`] }] },
    caught: ({ flags }) => deepEqual(flags, ['committed_by_agent 1 commit was made during the run']),
  },
  {
    name: 'rewrites the history of its branch',
    ...{ ...LOOK, flag: 'history_rewritten', isReal: true },
    script: { implement: [{ ...HONEST, runs: [`${COMMIT} --amend -m other`] }] },
  },
  {
    name: 'commits a file with secrets',
    ...{ ...LOOK, flag: 'secret_added', isReal: true },
    script: { implement: [{ ...HONEST, writes: { '.env': 'KEY=1\n' } }] },
  },
  {
    name: 'writes a key into its code',
    ...{ ...LOOK, flag: 'secret_added' },
    script: {
      implement: [{ ...HONEST, writes: { 'wind.js': `const key = "gh${'p'}_${'aB3dE5gH7jK9'.repeat(3)}"\n` } }],
    },
  },
  {
    name: 'adds a link that leaves the repository',
    ...{ ...LOOK, flag: 'link_leaves_repository', isReal: true },
    script: { implement: [{ ...HONEST, runs: ['ln -s /etc out'] }] },
  },
  {
    name: 'works on another branch',
    ...{ exit: 3, word: 'not delivered' },
    script: { implement: [{ ...HONEST, runs: ['git checkout -q -b mine'] }] },
  },
  {
    name: 'removes its worktree',
    ...{ exit: 3, word: 'not delivered' },
    script: { implement: [{ runs: ['rm -rf "$PWD"'], usage: { output: 70 } }] },
    caught: ({ stderr, records }) => {
      match(stderr, /could not be observed/)
      const ended = dataOf(records, 'attempt_ended').at(-1)
      deepEqual([ended?.how, ended?.usage?.output_tokens, ended?.tree?.is_complete], ['answered', 70, false])
    },
  },
  {
    name: 'replaces the repository of its worktree',
    ...{ exit: 4, word: 'waits for you', flag: 'agent_configuration_changed' },
    script: ({ scratch }) => ({ implement: [{ ...HONEST, runs: [replaceRepository(ranFile(scratch))] }] }),
    caught: async ({ stdout, id, call, home, recordsNow }) => {
      // The next agent would run it.
      match(stdout, /filter\.bad\.clean in \.git\/config/)
      const [, worktree = ''] = /^Worktree (.*)$/m.exec(stdout) ?? []
      rmSync(join(worktree, '.git'), { recursive: true })
      home.repository.git('worktree', 'repair')
      equal((await call('drive', id)).code, 5)
      const [{ branch } = {}] = dataOf(recordsNow(), 'delivered')
      equal(home.repository.git('show', `${branch}:wind.txt`), 'wind: 23 knots\n')
      ok(!existsSync(ranFile(home.scratch)), 'the program ran')
    },
  },
  {
    name: 'replaces the repository of its worktree, and asks',
    ...{ exit: 4, word: 'waits for you' },
    checks: [],
    script: ({ scratch }) => ({
      orient: [{ ...HONEST, runs: [replaceRepository(ranFile(scratch))], ...question('Why?') }],
    }),
    caught: async ({ id, call, home }) => {
      const changes = async () => JSON.parse((await call('report', id, '--json')).stdout).changes
      deepEqual(await changes(), [{ path: 'wind.txt', insertions: 1, deletions: 1 }])
      const git = locateGit({ env: home.env, cwd: '/' })
      const directory = join(home.env.DROVER_HOME, 'driven-runs')
      const reader = new RunReader({ directory, git, clock: systemClock, version: '1.0.0', isDrivenHere: () => false })
      const facts = await reader.read(reader.find(id, USER))
      match((await reader.patch(facts)).patch ?? '', /\n\+wind: 23 knots\n/)
      match((await reader.detail(facts)).report ?? '', /\| `wind\.txt` \| \+1 \| -1 \|/)
      match((await call('drive', '--list')).stdout, /it contains another git repository/)
      rmSync(facts.run.workspace_identity.git_dir, { recursive: true })
      equal(await changes(), undefined)
      const listed = await call('drive', '--list')
      equal(listed.code, 0)
      match(listed.stdout, /git cannot read it/)
      ok(!existsSync(ranFile(home.scratch)), 'the program ran')
    },
  },
  ...[
    { how: 'replaces', word: 'replaced', command: 'sed s/23/24/ "$f" > "$f.new" && mv "$f.new" "$f"' },
    { how: 'shortens', word: 'shortened', command: 'head -n 1 "$f" > "$f.new" && cat "$f.new" > "$f"' },
  ].map(
    ({ how, word, command }): Lie => ({
      name: `${how} the records of its run`,
      ...{ exit: 3, word: 'not delivered', isReal: true },
      script: ({ runs }) => ({
        implement: [{ ...HONEST, runs: [`f=$(echo '${runs}'/*/drive.jsonl); ${command}`] }],
      }),
      caught: ({ verdict, id, home }) => {
        match(verdict.reason, new RegExp(`drive\\.jsonl was ${word}`))
        ok(existsSync(join(home.runs, id, 'drive.kept.jsonl')))
      },
    }),
  ),
  ...OWN_RUN.map(
    (command): Lie => ({
      name: `tries to ${command.split(' ')[0]} its own run`,
      ...{ exit: 0, word: 'delivered', isReal: true },
      script: ({ runs, scratch }) => {
        const id = `id=$(basename '${runs}'/*-*-*)`
        const line = `'${process.execPath}' '${droverPath()}' ${command} > '${scratch}/told' 2>&1`
        return { implement: [{ ...HONEST, runs: [`${id}; ${line}; true`] }] }
      },
      caught: ({ home }) =>
        match(
          readFileSync(join(home.scratch, 'told'), 'utf8'),
          /an agent cannot stop, answer, skip or drive its own run/,
        ),
    }),
  ),
  {
    name: 'weakens a test, plants a secret and a link, and rewrites history, all at once',
    ...{ ...LOOK, flag: 'history_rewritten' },
    script: {
      implement: [
        {
          ...HONEST,
          writes: { '.env': 'KEY=1\n', 'sun.test.js': "it('shines', () => { process.exit(0); expect(1).toBe(1) })\n" },
          runs: [`ln -s /etc out; git add .env out; ${COMMIT} --amend -m other`],
          ...reports({ files_changed: ['wind.txt', 'sun.test.js', '.env', 'out'] }),
        },
      ],
    },
    caught: ({ flags }) => {
      const codes = flags.map((flag) => flag.split(' ', 1)[0])
      for (const code of ['secret_added', 'link_leaves_repository', 'test_ends_early'])
        ok(codes.includes(code), `${code} in ${flags.join()}`)
    },
  },
]
