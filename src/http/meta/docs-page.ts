/** The /docs page. It loads files of this server only. */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>drover API</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<script defer src="docs/swagger-ui-bundle.js"></script>
<script type="module" src="docs/start.js"></script>
</head>
<body>
<noscript>This page needs JavaScript. The same content is in <a href="openapi.json">openapi.json</a>.</noscript>
<div id="docs"></div>
</body>
</html>
`

/** Starts Swagger UI. All addresses are relative to the page, so it also works behind a proxy and under a prefix. */
export const DOCS_START = `const response = await fetch('openapi.json')
const spec = await response.json()
spec.servers = [{ url: new URL('.', location.href).href.replace(/\\/$/, '') }]
SwaggerUIBundle({
  spec,
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
})
`

/** Allows only files of this server, and the inline images in the style sheet of Swagger UI. */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
