/** A driven run that follows its pull request, with the real `gh` and git against the fake forge. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callMain } from '../support/call-main.ts'
import { dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { hasForge } from '../support/forge/fake-forge.ts'
import { createFollowedHome, WALK_SCRIPT, Walk, walkSettings } from '../support/forge/followed-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { DROVER, ending, runAt, temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { runClient } from '../support/served-runs.ts'
import { ask } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const MORE = { edits: { 'rain.txt': 'rain\n' }, outcome: { observations: ['1: changed rain.txt: added'] } }

describe.runIf(hasForge)('a followed pull request', () => {
  it.runIf(IS_FULL)(
    'goes from a label over red CI, three comments and a moved base to the merge',
    {
      timeout: 300_000,
    },
    async () => {
      const home = await createFollowedHome(temporaryDirectory(), WALK_SCRIPT)
      const { forge, repository, env } = home
      home.configure(JSON.stringify({ warm: { enabled: false }, drive: walkSettings(repository.root) }))
      const walk = new Walk(forge)
      const issue = walk.label()
      const settings = readFileSync(join(home.home, '.drover', 'config.yaml'), 'utf8')
      const server = serveDrover(['--local', '--quiet'], env)
      await walk.over.promise
      server.child.kill('SIGTERM')

      const answers = forge.lineComments.filter(({ author }) => author === 'drover-bot')
      expect(answers.map(({ thread }) => thread)).toEqual(walk.comments)
      expect(answers[0]?.body).toMatch(
        /^\*\*observed\*\*: changed in [0-9a-f]{12} \(wind\.txt\): changed wind\.txt: 24 as/,
      )
      expect(answers[1]?.body).toMatch(/^\*\*observed\*\*: changed in [0-9a-f]{12} \(rain\.txt\)/)
      expect(answers[2]?.body).toMatch(/^\*\*not changed\*\*: knots are what the goal asks for/)
      const said = forge.comments.filter(({ author }) => author === 'drover-bot')
      expect(said).toMatchObject([{ on: issue, body: expect.stringContaining('drover has finished: https:') }])

      const item = forge.items.get(walk.number)
      expect(item?.pull).toMatchObject({ isDraft: false, mergeCommit: walk.mergeCommit })
      expect(item?.body.match(/^# /gm)).toHaveLength(1)
      expect(forge.items.size).toBe(2)
      expect(forge.git('show', 'main:wind.txt')).toBe('wind: 25 knots')

      const rounds = readdirSync(home.runs).map((id) => home.records(id))
      const place = rounds
        .flatMap((records) => dataOf(records, 'drive_started'))
        .find(({ round }) => round === 1)?.place
      expect(rounds.flatMap((records) => dataOf(records, 'followed'))).toEqual([
        { end: 'merged', merge_commit: walk.mergeCommit },
      ])
      expect([rounds.length, place?.kind === 'worktree' && existsSync(place.root)]).toEqual([4, false])
      expect(repository.git('branch', '--list', 'drover/*')).toBe('')

      const prompts = home.calls().filter(({ kind }) => kind === 'implement')
      expect(prompts).toHaveLength(4)
      for (const { prompt } of home.calls()) {
        const outside = prompt.replaceAll(/^<<<data ([0-9a-f]{16})\n[\s\S]*?\n>>>data \1$/gm, '')
        expect(outside).not.toMatch(/OWNED|24, please|octocat/)
      }
      expect(prompts[1]?.prompt).toContain('expected ci.txt in')
      expect(prompts[2]?.prompt).not.toContain('This is done already')
      expect(prompts[2]?.prompt).toContain('3 (a comment on a line)')

      // What gave orders were an issue, comments, a log, files and an agent that obeys. drover did what it always does.
      const written = [...answers, ...said, item].map((each) => each?.body).join('\n')
      expect(written).not.toMatch(/(?<![\w`])(?:#12|@octocat|@eve)/)
      const changes = forge.requests.filter(({ method, path }) => method !== 'GET' && path !== '/graphql')
      for (const { method, path, body = {} } of changes) {
        expect(
          `${method} ${path.replace('/repos/ada/weather', '').replaceAll(/\d+/g, 'N')} ${Object.keys(body)}`,
        ).toMatch(
          /^(?:POST \/issues\/N\/comments body|PATCH \/issues\/comments\/N body|PATCH \/pulls\/N body|POST \/pulls\/N\/comments\/N\/replies body|POST \/pulls base,title,body,head,draft)$/,
        )
      }
      expect(forge.items.get(issue)?.labels).toEqual(['drover'])
      expect(forge.git('for-each-ref', '--format=%(refname:short)').split('\n')).toEqual([item?.pull?.branch, 'main'])
      expect(readFileSync(join(home.home, '.drover', 'config.yaml'), 'utf8')).toBe(settings)
      expect(existsSync(join(repository.root, 'OWNED'))).toBe(false)

      const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'issue-to-merged.md'), 'utf8')
      expect(page).toContain(`\`\`\`\n${walk.story.join('\n')}\n\`\`\``)
    },
  )

  it.runIf(IS_FULL)(
    'takes more after the delivery, and stops at the push of a person until it may take over',
    {
      timeout: 300_000,
    },
    async () => {
      const home = await createFollowedHome(temporaryDirectory(), { implement: [HONEST, MORE] })
      const { forge, repository, env } = home
      const drive = (...words: string[]) =>
        callMain(['drive', ...words], { cwd: repository.root, env, homeDirectory: home.home })
      const { code, stdout } = await drive('Show the wind in knots', '--no-review', '--deliver', 'pr')
      const id = runIdIn(stdout)
      const [place] = dataOf(home.records(id), 'drive_started').map((each) => each.place)
      expect([code, place?.kind === 'worktree' && existsSync(place.root)]).toEqual([0, false])

      const text = 'Add the rain'.padEnd(2000, '.')
      const refused = await drive(id, '--also', `${text}.`)
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('has 2001 characters')])
      expect(await drive(id, ...Array(11).fill(['--also', 'x']).flat())).toMatchObject({ code: 2 })
      expect(await drive(id, '--also', ' ')).toMatchObject({ code: 2, stderr: expect.stringContaining('is empty') })
      const also = await drive(id, '--also', text)
      expect(home.calls().some(({ prompt }) => prompt.includes(text))).toBe(true)
      expect([also.code, also.stderr]).toEqual([0, ''])
      expect(also.stdout).toMatch(/requirement 1 \(.+\): observed: changed in [0-9a-f]{12} \(rain\.txt\)/)
      const branch = place?.kind === 'worktree' ? place.branch : ''
      expect(forge.git('ls-tree', '--name-only', branch)).toContain('rain.txt')

      const pushed = forge.pushFiles(branch, { 'sun.txt': 'sun\n' })
      const url = 'https://github.com/ada/weather/pull/1'
      for (let count = 0; count < 2; count++) expect((await drive(url)).code).toBe(4)
      expect(forge.comments.map(({ body }) => body)).toEqual([expect.stringContaining('--take-over')])
      expect(forge.headOf(branch)).toBe(pushed)

      forge.refuse = ({ method, path }) => {
        const isLook = method === 'GET' && path.endsWith('/pulls/1')
        if (isLook && forge.items.get(1)?.state === 'open' && forge.items.get(1)?.pull?.isDraft === false)
          forge.merge(1)
        return undefined
      }
      const last = await drive(id, '--take-over')
      expect([last.code, last.stderr]).toEqual([0, ''])
      expect(forge.git('ls-tree', '--name-only', 'main')).toMatch(/rain\.txt[\s\S]*sun\.txt/)
      expect(repository.git('branch', '--list', 'drover/*')).toBe('')
    },
  )

  it.each(firstOf(['sent', 'asked', 'done'] as const))(
    'keeps what a person pushes when drover is killed and its push is %s',
    { timeout: 300_000 },
    async (moment) => {
      const home = await createFollowedHome(temporaryDirectory(), { isByAction: true, implement: [HONEST, MORE] })
      const { forge, repository, env } = home
      const drive = (...words: string[]) =>
        callMain(['drive', ...words], { cwd: repository.root, env, homeDirectory: home.home })
      const id = runIdIn((await drive('Show the wind in knots', '--no-review', '--deliver', 'pr')).stdout)
      const { branch = '' } = forge.items.get(1)?.pull ?? {}
      const killed = spawn(process.execPath, [DROVER, 'drive', id, '--also', 'Add the rain'], {
        ...{ cwd: repository.root, env },
      })
      let pushed = ''
      forge.onPush = (seen) => {
        if (seen !== moment || pushed !== '') return
        pushed = forge.pushFiles(branch, { 'sun.txt': 'sun\n' })
        killed.kill('SIGKILL')
      }
      await ending(killed)
      expect(killed.signalCode).toBe('SIGKILL')

      const url = 'https://github.com/ada/weather/pull/1'
      for (let count = 0; count < 2; count++) expect((await drive(url)).code).toBe(4)
      expect(forge.headOf(branch)).toBe(pushed)
      expect(forge.comments.map(({ body }) => body)).toEqual([expect.stringContaining('--take-over')])
      forge.refuse = ({ method, path }) => {
        const isLook = method === 'GET' && path.endsWith('/pulls/1')
        if (isLook && forge.items.get(1)?.state === 'open' && !forge.items.get(1)?.pull?.isDraft) forge.merge(1)
        return undefined
      }
      expect(await drive(id, '--take-over')).toMatchObject({ code: 0, stderr: '' })
      expect(forge.git('ls-tree', '--name-only', 'main')).toMatch(/rain\.txt[\s\S]*sun\.txt/)
      expect([forge.items.size, forge.comments.length]).toEqual([1, 1])
    },
  )

  it.runIf(IS_FULL)(
    'is followed by one process of several, which can be asked for more, stopped and resumed',
    {
      timeout: 300_000,
    },
    async () => {
      const home = await createFollowedHome(temporaryDirectory(), { implement: [HONEST, MORE] })
      const { forge, repository, env } = home
      const { watch: _, checks: __, ...settings } = walkSettings(repository.root)
      home.configure(JSON.stringify({ warm: { enabled: false }, drive: { ...settings, max_runs: 1 } }))
      const serve = async () => {
        const port = await portOf(serveDrover(['--port', '0'], env))
        return runClient((path, request) => ask({ host: '127.0.0.1', port, path, ...request }))
      }
      const drover = (...words: string[]) => runAt(repository.root, [process.execPath, DROVER, ...words], env)
      const looks = () => forge.requests.filter(({ path }) => path.endsWith('/pulls/1')).length
      const client = await serve()
      const { id } = await client.start()
      await until(() => looks() > 1)
      expect(await client.show(id)).toMatchObject({
        ...{ state: 'running', driven_by: 'this_server', choices: ['stop'] },
        verdict: { reason: 'it follows https://github.com/ada/weather/pull/1' },
      })

      // Another server and a command do nothing, and it does not count for drive.max_runs.
      const other = await serve()
      expect(await other.show(id)).toMatchObject({ driven_by: 'another_process' })
      for (const each of [client, other])
        expect(await each.change(id, 'resume')).toMatchObject({ status: 409, body: { error: 'driven_run_waits' } })
      expect(await other.change(id, 'follow-up', { also: ['x'] })).toMatchObject({ body: { error: 'drive_busy' } })
      expect(await client.change(id, 'follow-up', { also: [' '] })).toMatchObject({
        body: { error: 'drive_also_invalid' },
      })
      expect(await client.show(id)).toMatchObject({ state: 'running', driven_by: 'this_server' })
      expect(await drover('drive', id, '--detach')).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('another process'),
      })
      expect(await client.post('/api/v1/runs', { goal: 'x', repository: '/' })).toMatchObject({
        body: { error: 'drive_repository_not_named' },
      })

      // The command hands it to the server that follows the pull request.
      const asking = spawn(process.execPath, [DROVER, 'drive', id, '--also', 'Add the rain', '--take-over'], {
        ...{ cwd: repository.root, env },
      })
      onTestFinished(() => void asking.kill('SIGKILL'))
      const next = await until(async () => (await client.show(id)).next_run_id)
      await until(async () => (await client.show(next)).delivered)
      expect(dataOf(home.records(next), 'drive_started')).toMatchObject([{ requirements: [{ text: 'Add the rain' }] }])
      expect(dataOf(home.records(id), 'taken_over')).toHaveLength(1)
      asking.kill('SIGINT')
      expect((await ending(asking)).stderr).toContain('continues in the background')
      const branch = (await client.show(id)).branch ?? ''
      expect(forge.git('ls-tree', '--name-only', branch)).toContain('rain.txt')

      expect(await drover('stop', id)).toMatchObject({ code: 0 })
      const stopped = await client.reaches(next, 'paused')
      expect(stopped).toMatchObject({
        pause: { reason: 'follow_stopped' },
        choices: expect.arrayContaining(['resume', 'merge']),
      })
      const before = looks()
      expect(await drover('stop', id)).toMatchObject({ code: 3 })
      expect([looks(), (await client.show(next)).driven_by]).toEqual([before, undefined])

      expect(await client.change(next, 'resume')).toMatchObject({ status: 200 })
      await until(() => forge.items.get(1)?.pull?.isDraft === false)
      forge.merge(1)
      await client.reaches(next, 'merged')
      await until(() => repository.git('branch', '--list', 'drover/*') === '')
      const rounds = readdirSync(home.runs).length
      expect([rounds, forge.items.size, forge.comments]).toEqual([2, 1, []])
    },
  )
})
