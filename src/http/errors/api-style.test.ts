import { expect, it } from 'vitest'
import { findApiStyle } from './api-style.ts'

const VERSION = { 'anthropic-version': '2023-06-01' }

it.each([
  ['/openai/v1/models', {}, 'chat'],
  ['/openai', VERSION, 'chat'],
  ['/openais', {}, 'native'],
  ['/anthropic/v1/messages?beta=true', {}, 'message'],
  ['/v1/chat/completions', {}, 'chat'],
  ['/v1/messages', {}, 'message'],
  ['/v1/messages/count_tokens', {}, 'message'],
  ['/v1/models', {}, 'chat'],
  ['/v1/models?limit=5', VERSION, 'message'],
  ['/v1/responses', {}, 'chat'],
  ['/v1', {}, 'chat'],
  ['/v1/nothing', VERSION, 'message'],
  ['/v10/chat', {}, 'native'],
  ['/chat/completions', {}, 'chat'],
  ['/models/claude', VERSION, 'message'],
  ['/messages', {}, 'message'],
  ['/responses', {}, 'chat'],
  ['/nothing', VERSION, 'native'],
  ['/api/v1/messages', VERSION, 'native'],
  ['/', {}, 'native'],
  ['*', {}, 'native'],
])('%s with the headers %j is of the API %s', (url, headers, style) => {
  expect(findApiStyle(url, headers)).toBe(style)
})
