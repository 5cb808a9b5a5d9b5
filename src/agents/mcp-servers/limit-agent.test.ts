import { expect, it } from 'vitest'
import { toServerMessage } from './limit-agent.ts'

const META = 'io.modelcontextprotocol/clientCapabilities'
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'look', arguments: { roots: ['/'] } } }
const [roots, consent] = [{ roots: [{ uri: 'file:///' }] }, { action: 'accept', content: {} }]

it.each([
  ['a call', call, call],
  ['a notification', { method: 'notifications/initialized' }, { jsonrpc: '2.0', method: 'notifications/initialized' }],
  [
    'a greeting without what the agent can be asked',
    {
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '1', clientInfo: { name: 'a' }, capabilities: { roots: {} } },
    },
    {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '1', clientInfo: { name: 'a' }, capabilities: {} },
    },
  ],
  [
    'a call without that, and without answers',
    {
      ...call,
      params: {
        ...call.params,
        inputResponses: { a: roots },
        InputResponses: {},
        _meta: { [META]: { roots: {} }, token: 1 },
      },
    },
    { ...call, params: { ...call.params, _meta: { [META]: {}, token: 1 } } },
  ],
  ['that it is alive', { id: 's1', result: {} }, { jsonrpc: '2.0', id: 's1', result: {} }],
  [
    'that it failed',
    { id: 2, error: { code: 1, message: 'no' } },
    { jsonrpc: '2.0', id: 2, error: { code: 1, message: 'no' } },
  ],
])('a server gets %s', (_, sent, got) => {
  expect(JSON.parse(JSON.stringify(toServerMessage(JSON.stringify(sent))))).toEqual(got)
})

it.each([
  ['directories', { id: 3, result: roots }],
  ['a consent', { id: 3, result: consent }],
  ['fields that another reader of JSON would take', { id: 3, Result: roots, Method: 'roots/list' }],
])('a server gets an error for an answer with %s', (_, sent) => {
  expect(toServerMessage(JSON.stringify(sent))).toEqual({
    ...{ jsonrpc: '2.0', id: 3 },
    error: { code: -32_601, message: 'a server cannot ask the agent' },
  })
})

it.each([
  ['that its directories have changed', { method: 'notifications/roots/list_changed' }],
  ['several messages at once', [call]],
  ['no message', { result: {} }],
  ['no JSON', undefined],
])('a server gets nothing for %s', (_, sent) => {
  expect(toServerMessage(sent === undefined ? 'look' : JSON.stringify(sent))).toBeUndefined()
})
