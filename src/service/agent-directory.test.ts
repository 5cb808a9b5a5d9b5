import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { until } from '../../test/support/until.ts'
import { mergeLayers } from '../config/layers.ts'
import { createAgentDirectory } from './agent-directory.ts'

it('finds an agent as soon as it is installed, and notices soon after that it was removed', async () => {
  const bin = temporaryDirectory()
  const claude = join(bin, 'claude')
  const { find } = createAgentDirectory({ env: { PATH: bin }, cwd: bin, backends: mergeLayers([]).config.backends })
  expect(find('claude')?.program).toBeUndefined()
  writeFileSync(claude, '#!/bin/sh\n', { mode: 0o755 })
  expect(find('claude')?.program).toEqual([claude])
  rmSync(claude)
  expect(find('claude')?.program).toEqual([claude])
  await until(() => find('claude')?.program === undefined)
})
