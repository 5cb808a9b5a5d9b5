import { expect, it } from 'vitest'
import { OPTIONS } from '../../../test/support/drive-fixture.ts'
import { propose } from '../../workspace/prepare/ecosystems.ts'
import { describeMissingSetup } from './missing-setup.ts'

const NODE = propose(
  new Map([
    ['package.json', '{ "scripts": { "test": "vitest" } }'],
    ['package-lock.json', '{}'],
  ]),
)

it('names what was found, and the flags that are missing', () => {
  expect(describeMissingSetup({ ...OPTIONS, checks: [] }, NODE)).toBe(
    "this project uses npm (package-lock.json), and a new worktree has nothing installed; add --setup 'npm ci' --check 'npm test', or set drive.setup and drive.checks",
  )
  expect(describeMissingSetup({ ...OPTIONS, setup: ['npm ci'], checks: [] }, NODE)).toBe(
    "this project uses npm (package-lock.json), and no check is given; add --check 'npm test', or set drive.setup and drive.checks",
  )
})

it('says nothing if both are given, or if nothing was found', () => {
  expect(describeMissingSetup({ ...OPTIONS, share: ['node_modules'], checks: ['npm test'] }, NODE)).toBeUndefined()
  expect(describeMissingSetup({ ...OPTIONS, checks: [] }, undefined)).toBeUndefined()
})
