import { expect, it } from 'vitest'
import { isLabel, requiredLabel } from './label.ts'

const RULES = ['/srv=any', '/srv/a=b=gpu', '/srv/ml/=gpu']

it.each([
  ['/srv/ml', 'gpu'],
  ['/srv/ml/deep', 'gpu'],
  ['/srv/mlx', 'any'],
  ['/srv/a=b/c', 'gpu'],
  ['/home', undefined],
  [undefined, undefined],
])('requires in %s the label of the innermost directory with a rule', (workdir, label) => {
  expect(requiredLabel({ workdir }, RULES)).toBe(label)
})

it('requires the label of the request first', () => {
  expect(requiredLabel({ workdir: '/srv/ml', label: 'big' }, RULES)).toBe('big')
})

it('allows labels of 63 characters', () => {
  const labels = ['gpu', 'a100.80gb', 'x'.repeat(63), 'x'.repeat(64), '', 'GPU', '-gpu', 'a b']
  expect(labels.map(isLabel)).toEqual([true, true, true, false, false, false, false, false])
})
