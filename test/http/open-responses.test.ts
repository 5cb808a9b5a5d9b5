/** The public compliance cases of the Responses API, on the demo agent. test/real/open-responses.test.ts tries them on real agents. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { CASES, SKIPPED } from '../support/open-responses.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'

describe('the compliance case', () => {
  const home = mkdtempSync(join(tmpdir(), 'drover-test-'))
  let url: string
  let stop: () => Promise<void>

  beforeAll(async () => {
    const server = serveDrover(['--demo', '--port', '0'], { HOME: home }, { end: (kill) => (stop = kill) })
    url = `http://127.0.0.1:${await portOf(server)}/openai/v1`
  })

  afterAll(async () => {
    await stop()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })

  // The demo agent calls a function only if it has to.
  const toCall = () => ({ request: { tool_choice: 'required' } })

  it.each(CASES)('$title passes', async ({ run }) => {
    await run({ url, model: 'claude', toCall })
  })

  it.skip.each(SKIPPED)('$title is left out: $reason', () => {})
})
