/** Agents that try to decide about the run that they work on. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { actionOf, outcomeText } from '../support/drive-fixture.ts'
import { createDriving } from '../support/driven-agents.ts'
import { HONEST } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { DROVER } from '../support/run-drover.ts'

const GOAL = 'Show the wind in knots'
const REFUSED = 'an agent cannot stop, answer, skip or drive its own run'

/** The id of the run is `$id`, and each line of output ends up in the file `told`. */
function createTrying(lines: (drover: string) => readonly string[]) {
  const driving = createDriving()
  const told = join(driving.scratch, 'told')
  const drover = `'${process.execPath}' '${DROVER}'`
  const script = [
    `id=$(basename "$(ls -td '${driving.runs}'/*/ | head -n 1)")`,
    `action=$(grep -o '"action_id":"[^"]*"' '${driving.runs}'/$id/journal.jsonl | tail -n 1 | cut -d '"' -f 4)`,
    `outcome='${driving.scratch}/now.json'; sed "s/ACTION/$action/" '${driving.scratch}/outcome.json' > "$outcome"`,
    ...lines(drover).map((line) => `(${line}) < /dev/null >> '${told}' 2>&1; echo "exit $?" >> '${told}'`),
  ]
  const action = { ...actionOf('implement'), action_id: 'ACTION' }
  writeFileSync(join(driving.scratch, 'outcome.json'), outcomeText(action))
  writeFileSync(join(driving.scratch, 'try.sh'), `${script.join('\n')}\n`)
  driving.rewrite({ implement: [{ ...HONEST, runs: [`sh '${driving.scratch}/try.sh'; true`] }] })
  return { ...driving, told: () => (existsSync(told) ? readFileSync(told, 'utf8') : '') }
}

describe('an agent of a run', () => {
  it('cannot stop, answer, skip or drive it, nor submit an outcome', async () => {
    const driving = createTrying((drover) => [
      `${drover} stop $id`,
      `${drover} answer $id yes`,
      `${drover} skip $id`,
      `${drover} drive $id`,
      `${drover} protocol submit --run $id --action $action --outcome-file "$outcome"`,
    ])
    const { code } = await driving.drive(GOAL, '--no-review')
    const told = driving.told()
    expect(told.split(REFUSED)).toHaveLength(6)
    expect(told.match(/^exit .*/gm)).toEqual(Array(5).fill('exit 3'))
    expect(code).toBe(0)
  })

  it.runIf(process.platform === 'linux')(
    'cannot with an empty environment, in its own session, or from a check',
    async () => {
      const clean = 'env -i HOME="$HOME" PATH="$PATH" DROVER_HOME="$DROVER_HOME"'
      const driving = createTrying((drover) => [
        `${clean} ${drover} stop $id`,
        `setsid --wait ${drover} stop $id`,
        `${clean} setsid --wait ${drover} stop $id`,
      ])
      writeFileSync(join(driving.repository.root, 'check.sh'), `sh '${driving.scratch}/try.sh'; true\n`)
      driving.repository.commit()
      driving.rewrite({ implement: [HONEST] })
      const { code } = await driving.drive(GOAL, '--no-review', '--baseline', 'skip', '--check', 'sh check.sh')
      const told = driving.told()
      // The check runs after the work, and in a clean checkout.
      expect(told.split(REFUSED)).toHaveLength(7)
      expect(told.match(/^exit .*/gm)).toEqual(Array(6).fill('exit 3'))
      expect(code).toBe(0)
    },
  )

  it.runIf(IS_FULL)('can change another run in the same repository', async () => {
    const driving = createTrying((drover) => [`${drover} stop $OTHER --root '$ROOT'`])
    const other = await driving.call(['run', 'Another goal', '--json'])
    const { run_id: id } = JSON.parse(other.stdout)
    const script = join(driving.scratch, 'try.sh')
    writeFileSync(script, readFileSync(script, 'utf8').replace('$OTHER', id).replace('$ROOT', driving.repository.root))
    expect(await driving.drive(GOAL, '--no-review')).toMatchObject({ code: 0 })
    expect(driving.told()).toContain('exit 0')
    expect(JSON.parse((await driving.call(['status', id, '--json'])).stdout).state).toBe('stopped')
  })
})
