// How the real services refuse a request that they would answer at another time or for money. One answer per kind and dialect.
import { id, sendJson } from './wire.mjs';

const HOUR = 3600;

/** A full hour, at least three hours ahead: agents show it without minutes or seconds. */
export const resetsAt = () => Math.ceil((Date.now() / 1000 + 3 * HOUR) / HOUR) * HOUR;
const secondsLeft = () => resetsAt() - Math.floor(Date.now() / 1000);

const anthropic = (status, type, message, headers = {}) => ({ status, headers, body: { type: 'error', error: { type, message }, request_id: id('req') } });
const openai = (status, error, headers = {}) => ({ status, headers, body: { error: { param: null, code: null, ...error } } });
const google = (code, status, message, details = []) => ({ status: code, headers: {}, body: { error: { code, message, status, details } } });

const OPENAI = {
  usage: () => openai(429, { type: 'usage_limit_reached', message: 'The usage limit has been reached', plan_type: 'plus', resets_at: resetsAt(), resets_in_seconds: secondsLeft() }),
  credit: () => openai(429, { type: 'insufficient_quota', code: 'insufficient_quota', message: 'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.' }),
  paid: () => openai(402, { type: 'insufficient_balance', message: 'Insufficient Balance' }),
  rate: () => openai(429, { type: 'tokens', code: 'rate_limit_exceeded', message: 'Rate limit reached for fake-model in organization org-fake on tokens per min (TPM): Limit 30000, Used 25000, Requested 10000. Please try again in 20s. Visit https://platform.openai.com/account/rate-limits to learn more.' }, { 'retry-after': '20' }),
  overload: () => openai(503, { type: 'service_unavailable_error', code: 'server_is_overloaded', message: 'Our servers are currently overloaded. Please try again later.' }),
};

const quota = (quotaId, metric) => ({ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaMetric: `generativelanguage.googleapis.com/${metric}`, quotaId, quotaDimensions: { location: 'global', model: 'gemini-2.5-pro' }, quotaValue: '50' }] });
const retryInfo = (retryDelay) => ({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay });
const exceeded = (metric, wait) => `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits. \n* Quota exceeded for metric: generativelanguage.googleapis.com/${metric}, limit: 50\nPlease retry in ${wait}.`;

const LIMITS = {
  anthropic: {
    usage: () => anthropic(429, 'rate_limit_error', "This request would exceed your account's rate limit. Please try again later.", {
      'retry-after': String(secondsLeft()), 'anthropic-ratelimit-unified-status': 'rejected', 'anthropic-ratelimit-unified-reset': String(resetsAt()),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour', 'anthropic-ratelimit-unified-5h-status': 'rejected', 'anthropic-ratelimit-unified-5h-reset': String(resetsAt()),
      'anthropic-ratelimit-unified-overage-status': 'rejected', 'anthropic-ratelimit-unified-overage-disabled-reason': 'org_level_disabled',
    }),
    credit: () => anthropic(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.'),
    paid: () => anthropic(402, 'billing_error', 'There is an issue with your billing or payment information.'),
    rate: () => anthropic(429, 'rate_limit_error', 'This request would exceed the rate limit for your organization of 50 requests per minute.', { 'retry-after': '20' }),
    overload: () => anthropic(529, 'overloaded_error', 'Overloaded'),
  },
  openai: OPENAI,
  gemini: {
    usage: () => google(429, 'RESOURCE_EXHAUSTED', exceeded('generate_content_free_tier_requests', '34.074824224s'), [quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier', 'generate_content_free_tier_requests'), retryInfo('34s')]),
    credit: () => google(429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.'),
    paid: () => google(402, 'UNKNOWN', 'Payment required'),
    rate: () => google(429, 'RESOURCE_EXHAUSTED', exceeded('generate_content_free_tier_input_token_count', '20.5s'), [quota('GenerateContentInputTokensPerModelPerMinute-FreeTier', 'generate_content_free_tier_input_token_count'), retryInfo('20.5s')]),
    overload: () => google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
  },
};

export function sendLimit(res, dialect, kind) {
  const { status, headers, body } = LIMITS[dialect][kind]();
  sendJson(res, status, body, headers);
}
