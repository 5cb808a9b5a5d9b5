/** The description of a backend's name in the OpenAPI document. A server replaces it by one with its own backends. */
export const BACKEND_NAME_DESCRIPTION =
  'The name of a backend: `claude`, `codex`, `gemini`, or an agent that the config defines.'
