import { expect, it } from 'vitest'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import { MOST_ROWS, type RetryNotice, RetryWatch } from './retry-recorder.ts'

const retry = (message = 'retry 1 of 10') => ({ type: 'progress', content: { stage: 'retry', message } }) as PromptEvent
const event = (type: string, content: object = {}) => ({ type, content }) as PromptEvent
const countsIn = (notices: readonly (RetryNotice | undefined)[]) =>
  notices.flatMap((notice, at) => (notice?.is === 'retrying' ? [[at + 1, notice.count]] : []))

it('of retries in a row, it reports the first, second, fourth and so on, with the time of the first', () => {
  const watch = new RetryWatch()
  const notices = Array.from({ length: 100 }, (_, at) => watch.note(retry(`retry ${at + 1}`), `time ${at}`))
  expect(countsIn(notices)).toEqual([1, 2, 4, 8, 16, 32, 64].map((count) => [count, count]))
  expect(notices[3]).toEqual({ is: 'retrying', count: 4, since: 'time 0', message: 'retry 4' })
})

it.each(['message', 'thinking', 'tool_use', 'tool_result'])('a %s ends the row, once', (type) => {
  const watch = new RetryWatch()
  expect(watch.note(event(type), '')).toBeUndefined()
  expect(watch.note(retry(), '1')).toMatchObject({ count: 1, since: '1' })
  expect(watch.note(event(type), '')).toEqual({ is: 'answered' })
  expect(watch.note(event(type), '')).toBeUndefined()
  expect(watch.note(retry(), '2')).toMatchObject({ count: 1, since: '2' })
})

it.each([
  event('progress', { stage: 'warning', message: 'slow' }),
  event('progress', { stage: 'plan' }),
  event('token_usage'),
])('%j neither begins nor ends a row', (other) => {
  const watch = new RetryWatch()
  expect(watch.note(other, '')).toBeUndefined()
  watch.note(retry(), '1')
  expect(watch.note(other, '')).toBeUndefined()
  expect(watch.note(retry(), '2')).toMatchObject({ count: 2, since: '1' })
})

it('reports a bounded number of rows', () => {
  const watch = new RetryWatch()
  const row = () => [watch.note(retry(), ''), watch.note(event('message'), '')]
  const whole = [{ is: 'retrying', count: 1, since: '', message: 'retry 1 of 10' }, { is: 'answered' }]
  expect(Array.from({ length: MOST_ROWS }, row)).toEqual(Array(MOST_ROWS).fill(whole))
  expect(row()).toEqual([undefined, undefined])
})

it.each([
  [300, 300],
  [301, 300],
])('of a message of %i characters, %i are kept', (given, kept) => {
  expect(new RetryWatch().note(retry('x'.repeat(given)), '')).toMatchObject({ message: 'x'.repeat(kept) })
})
