import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { STOPS } from '../agent-result.ts'
import {
  type AgentFailure,
  classifyFailure,
  exitCodeOfFailure,
  exitCodeOfSignal,
  FAILURES,
  type FailureCode,
  failureCode,
  failureOfExitCode,
  stderrMessage,
} from './failure.ts'

const AT = 1_763_420_400
const NOW = new Date(AT * 1000)

describe('classifyFailure', () => {
  it.each<[AgentFailure, FailureCode]>([
    [{ message: 'x', status: 401 }, 'agent_auth_failed'],
    [{ message: 'x', status: 403 }, 'agent_auth_failed'],
    [{ message: 'x', status: 402 }, 'agent_out_of_credit'],
    [{ message: 'x', status: 404 }, 'agent_model_unknown'],
    [{ message: "There's an issue with the selected model (x). It may not exist" }, 'agent_model_unknown'],
    [{ message: 'models/gemini-9 is not found for API version v1beta', status: 500 }, 'agent_model_unknown'],
    [{ message: 'The model `gpt-9` does not exist or you do not have access to it.' }, 'agent_model_unknown'],
    [{ message: 'x', status: 429 }, 'agent_rate_limited'],
    [{ message: 'x', status: 499 }, 'agent_failed'],
    [{ message: 'x', status: 500 }, 'agent_service_failed'],
    [{ message: 'x', status: 503 }, 'agent_overloaded'],
    [{ message: 'x', status: 400 }, 'agent_request_rejected'],
    [{ message: 'API key not valid', status: 400 }, 'agent_auth_failed'],
    [{ message: 'x', status: 529 }, 'agent_overloaded'],
    [{ message: 'x', status: 599 }, 'agent_service_failed'],
    [{ message: 'x', status: 600 }, 'agent_failed'],
    [{ message: 'quota exceeded', status: 400 }, 'agent_rate_limited'],
    [{ message: 'unexpected status 503 Service Unavailable' }, 'agent_overloaded'],
    [{ message: 'API Error: 529 busy' }, 'agent_overloaded'],
    [{ message: 'API Error: Request rejected (429) · x' }, 'agent_rate_limited'],
    [{ message: '{"error":{"code": 401}}' }, 'agent_auth_failed'],
    [{ message: 'read 500 lines' }, 'agent_failed'],
    [{ message: 'connect ECONNREFUSED 127.0.0.1:1' }, 'agent_unreachable'],
    [{ message: 'Internal error: Connection reset by server' }, 'agent_unreachable'],
    [{ message: 'getaddrinfo ENOTFOUND x' }, 'agent_unreachable'],
    [{ message: 'the tool was terminated' }, 'agent_failed'],
    [{ message: 'Not logged in · Please run /login' }, 'agent_auth_failed'],
    [{ message: 'Missing environment variable: `K`.' }, 'agent_auth_failed'],
    [{ message: 'Invalid session identifier "x".' }, 'agent_session_missing'],
    [{ message: 'No previous sessions found for this project.' }, 'agent_session_missing'],
    [{ message: 'Session not found: x' }, 'agent_session_missing'],
    [{ message: 'thread not found: x' }, 'agent_session_missing'],
    [{ message: 'anything', code: 'agent_max_turns', status: 500 }, 'agent_max_turns'],
    [{ message: 'the disk is full' }, 'agent_failed'],
    [{ message: "You've hit your session limit · resets 3pm (UTC)" }, 'agent_usage_limited'],
    [{ message: "You've hit your limit · resets 3pm (UTC)", status: 429 }, 'agent_usage_limited'],
    [{ message: 'You’ve hit your usage limit. Try again at 3:45 PM.' }, 'agent_usage_limited'],
    [{ message: 'Claude AI usage limit reached|1763420400' }, 'agent_usage_limited'],
    [{ message: '5-hour limit reached ∙ resets 3pm' }, 'agent_usage_limited'],
    [{ message: "You're out of usage credits · resets 3pm (UTC)" }, 'agent_usage_limited'],
    [{ message: 'You have exhausted your daily quota on this model.', status: 429 }, 'agent_usage_limited'],
    [{ message: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier', status: 429 }, 'agent_usage_limited'],
    [{ message: 'You have reached your specified API usage limits.', status: 400 }, 'agent_usage_limited'],
    [{ message: 'usage limit reached', status: 403 }, 'agent_usage_limited'],
    [{ message: 'usage limit reached', status: 500 }, 'agent_service_failed'],
    [{ message: "You're out of usage credits" }, 'agent_out_of_credit'],
    [{ message: "You've hit your monthly spend limit." }, 'agent_out_of_credit'],
    [{ message: 'Credit balance is too low', status: 400 }, 'agent_out_of_credit'],
    [
      { message: 'You exceeded your current quota, please check your plan and billing details.', status: 429 },
      'agent_out_of_credit',
    ],
    [
      {
        message: 'You exceeded your current quota, please check your plan. * Quota exceeded for metric: x',
        status: 429,
      },
      'agent_rate_limited',
    ],
    [{ message: 'credit balance', status: 503 }, 'agent_overloaded'],
    [
      { message: 'Rate limit reached for gpt-5 in organization x on tokens per min', status: 429 },
      'agent_rate_limited',
    ],
    [{ message: 'Context limit reached' }, 'agent_failed'],
  ])('%j is %s', (failure, code) => {
    expect(failureCode(failure)).toBe(code)
  })

  it.each([
    ['rate limit reached. Please try again in 1.898s.', 1898],
    ['Please retry in 36.5s', 36_500],
    ['try again in 20ms', 20],
    ['Try again in 2 minutes.', 120_000],
    ['retry after 1 hour', 3_600_000],
    ['retrying did not help', undefined],
    ['please wait and try again later', undefined],
  ])('reads how long to wait from %j', (message, retryAfterMs) => {
    expect(classifyFailure({ message }, { now: NOW }).retryAfterMs).toBe(retryAfterMs)
  })

  it.each<[string, AgentFailure, number | undefined]>([
    ['a reset that is reported apart', { message: 'retry in 5s', resetsAt: AT + 60 }, 60_000],
    ['the message, if that reset is in the past', { message: 'retry in 5s', resetsAt: AT - 1 }, 5000],
    ['the delay that is reported apart', { message: 'retry in 5s', status: 429, retryAfterMs: 7 }, 7],
    ['the message, if the plan is used up', { message: 'usage limit reached|1763420460', retryAfterMs: 7 }, 60_000],
    ['the delay, if the message about the plan has no time', { message: 'usage limit', retryAfterMs: 7 }, 7],
    ['nothing else than a time within 8 days', { message: 'x', retryAfterMs: 8 * 86_400_000 + 1 }, undefined],
    ['a time in exactly 8 days', { message: 'x', retryAfterMs: 8 * 86_400_000 }, 8 * 86_400_000],
  ])('believes %s', (_, failure, retryAfterMs) => {
    expect(classifyFailure(failure, { now: NOW }).retryAfterMs).toBe(retryAfterMs)
  })
})

/** Only a subscription shows these. They are from the strings of claude 2.1.197, codex 0.166.0, gemini 0.61.0, grok 1.0.41, pi 0.87.1 and opencode 1.18.33. */
describe('a text in the program of an agent', () => {
  it.each<[string, FailureCode, number | undefined]>([
    ["You've hit your weekly limit \u00b7 resets Nov 20, 3:45pm (Europe/Berlin)", 'agent_usage_limited', 179_100_000],
    ["You've hit your Opus limit \u00b7 resets 3pm (UTC)", 'agent_usage_limited', 7_200_000],
    ["You've hit your org's monthly usage limit \u00b7 resets Dec 1, 12am (UTC)", 'agent_usage_limited', undefined],
    ["You've reached your Fable 5 limit", 'agent_usage_limited', undefined],
    ["You're out of extra usage \u00b7 resets 3pm (UTC)", 'agent_usage_limited', 7_200_000],
    ["You're out of extra usage", 'agent_out_of_credit', undefined],
    ['Your org is out of usage \u00b7 contact your admin', 'agent_out_of_credit', undefined],
    ["Your group's usage limit is set to $0", 'agent_out_of_credit', undefined],
    ["Your seat type doesn't include usage credits", 'agent_out_of_credit', undefined],
    [
      'You\u2019ve hit your usage limit for GPT-5. Switch to another model now, or try again at 3:45 PM.',
      'agent_usage_limited',
      9_900_000,
    ],
    [
      'You\u2019ve hit your usage limit. To get more access now, send a request to your admin or try again later.',
      'agent_usage_limited',
      undefined,
    ],
    ['Your workspace is out of credits. Add credits to continue.', 'agent_out_of_credit', undefined],
    [
      'You hit your spend cap set in your workspace. Increase your spend cap to continue.',
      'agent_out_of_credit',
      undefined,
    ],
    [
      'You have exhausted your capacity on this model. Your quota will reset after 15h24m10s.',
      'agent_usage_limited',
      55_450_000,
    ],
    ['reason: INSUFFICIENT_G1_CREDITS_BALANCE', 'agent_out_of_credit', undefined],
    ['You hit your weekly limit.', 'agent_usage_limited', undefined],
    ['usage balance exhausted', 'agent_out_of_credit', undefined],
    ['You have hit your ChatGPT usage limit (plus plan). Try again in ~191 min.', 'agent_usage_limited', 11_460_000],
    [
      'Usage limit reached. To continue using this model now, enable usage from your available balance',
      'agent_usage_limited',
      undefined,
    ],
  ])('%j is %s', (message, code, retryAfterMs) => {
    const when = { now: new Date('2026-11-18T13:00:00Z'), zone: 'UTC' }
    expect(classifyFailure({ message }, when)).toMatchObject({ code, retryAfterMs })
  })
})

describe('the table of failures', () => {
  it('is in docs/agents.md, word for word', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/agents.md'), 'utf8')
    const section = page.split('## How agents fail')[1]?.split('\n## ')[0] ?? ''
    const rows = [...section.matchAll(/^\| `(agent_\w+)` \| (.+) \|$/gm)].map(([, code, when]) => [code, when])
    expect(rows.slice(0, Object.keys(FAILURES).length)).toEqual(Object.entries(FAILURES))
    expect(rows).toEqual(expect.arrayContaining(Object.entries(STOPS)))
  })
})

describe('failureOfExitCode', () => {
  it.each([
    ['gemini', 41, { code: 'agent_auth_failed' }],
    ['gemini', 53, { code: 'agent_max_turns' }],
    ['gemini', 145, { status: 401 }],
    ['gemini', 173, { status: 429 }],
    ['gemini', 244, { status: 500 }],
    ['gemini', 17, { status: 529 }],
    ['gemini', 143, {}],
    ['gemini', 1, {}],
    ['gemini', null, {}],
    ['claude', 41, {}],
    ['claude', 145, {}],
    ['codex', 2, {}],
  ] as const)('of %s with %s is %j', (backend, code, expected) => {
    expect(failureOfExitCode(backend, code)).toEqual(expected)
  })
})

describe('exitCodeOfFailure', () => {
  it.each([
    ['gemini', { code: 'agent_auth_failed', upstreamStatus: 401 }, 145],
    ['gemini', { code: 'agent_auth_failed' }, 41],
    ['gemini', { code: 'agent_max_turns' }, 53],
    ['gemini', { code: 'agent_overloaded', upstreamStatus: 529 }, 17],
    ['gemini', { code: 'agent_service_failed', upstreamStatus: 512 }, 1],
    ['gemini', { code: 'agent_failed' }, 1],
    ['claude', { code: 'agent_auth_failed', upstreamStatus: 401 }, 1],
    ['codex', { code: 'agent_max_turns' }, 1],
  ] as const)('of %s with %j is %s', (backend, error, code) => {
    expect(exitCodeOfFailure(backend, { ...error, message: 'x' })).toBe(code)
  })
})

describe('exitCodeOfSignal', () => {
  it('adds 128, as shells do', () => {
    expect(exitCodeOfSignal('SIGKILL')).toBe(137)
  })
})

describe('stderrMessage', () => {
  it.each([
    ['nothing', '', undefined],
    ['noise', 'Ripgrep is not available. Falling back.\n[STARTUP] Phase x\n    at f (a.js:1:2)\n', undefined],
    ['a colour warning', 'Warning: 256-color support not detected.\n', undefined],
    ['the last telling line', 'banner\nERROR: Reconnecting... 1/1\nERROR: no luck\nfooter', 'no luck'],
    ['the telling line above a usage text', "error: unknown option '--x'\n\nUsage: claude", "unknown option '--x'"],
    ['all text when the error line is empty', 'Error: \nwhat now', 'Error: \nwhat now'],
    ['all of it, without the noise', 'Reading prompt from stdin...\r\none\r\ntwo\r\n', 'one\ntwo'],
  ])('finds %s', (_, stderr, message) => {
    expect(stderrMessage(stderr)).toBe(message)
  })

  it('keeps the last 2000 characters of other text', () => {
    expect(stderrMessage(`start${'x'.repeat(2000)}`)).toBe('x'.repeat(2000))
    expect(stderrMessage(`s${'x'.repeat(1999)}`)).toBe(`s${'x'.repeat(1999)}`)
  })
})
