/** Patterns of failed requests, and an explanation for each. */
const REASONS: readonly (readonly [RegExp, (at: string, reason: string) => string])[] = [
  // OpenSSL (various versions): the answer to the TLS handshake is plain text.
  [/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/, (at, reason) => `what listens at ${at} does not speak TLS (${reason}): write \`http://\` instead of \`https://\``],
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)/,
    (at, reason) => `the certificate of ${at} is not trusted (${reason}): start Node with NODE_EXTRA_CA_CERTS=FILE, the certificate of the authority that signed it`,
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, (at, reason) => `the certificate of ${at} is for other names (${reason}): use a host name that it has`],
  // llhttp: a TLS record answers plain HTTP.
  [/^HPE_INVALID_CONSTANT$/, (at, reason) => `what listens at ${at} does not speak HTTP (${reason}): if it speaks TLS, write \`https://\``],
]

/** Why a request to an address failed, and a sentence about what to do, as far as Node tells. */
export function unreached(error: unknown, at: string): { reason?: string; cure?: string } {
  const reason = systemReason(error)
  if (reason === undefined) return {}
  const cure = REASONS.find(([pattern]) => pattern.test(reason))?.[1](at, reason)
  return { reason, ...(cure === undefined ? {} : { cure }) }
}

/** The system's error, such as `ECONNREFUSED`: in the cause of the error of Node's `fetch`, in Bun's error itself. */
function systemReason(error: unknown): string | undefined {
  const cause = (error as { cause?: unknown } | null)?.cause
  for (const told of [cause, error]) {
    const code = (told as { code?: unknown } | null | undefined)?.code
    if (typeof code === 'string' && code !== '') return code
  }
  return cause instanceof Error && cause.message !== '' ? cause.message : undefined
}
