/** Why an API gave no answer. */
interface Unreachable {
  readonly code: 'unavailable' | 'invalid_response' | 'invalid_argument';
  /** The end of a sentence that begins with the API. */
  readonly words: string;
  /** What the operator does about it, where that follows from the reason. */
  readonly hint?: string;
}

/** Codes of OpenSSL for a certificate whose signer is not known. */
const unknownSigner =
  /^(UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?)$/;

/** A connection failure in words for people, by the codes of Node, OpenSSL and undici. */
export function explainUnreachable(error: Error): Unreachable {
  const name = 'code' in error && typeof error.code === 'string' ? error.code : '';
  switch (name) {
    case 'ECONNREFUSED':
      return away('refused the connection', 'See whether it runs, and whether its port is the right one.');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return away('could not be found by name', 'Check the spelling of the host, and the DNS of this machine.');
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return away('lies in a network that this machine does not reach');
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return away('did not take the connection in time', 'See whether a firewall stands between.');
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return away(
        'closed the connection before the answer was complete',
        'If it never answers, see whether its address begins with https://.',
      );
    case 'CERT_HAS_EXPIRED':
      return away('has a certificate that has expired', 'Renew it, and see that this machine’s clock is right.');
    case 'CERT_NOT_YET_VALID':
      return away('has a certificate that is not valid yet', 'See that this machine’s clock is right.');
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return away(
        'has a certificate for another host',
        'Name that host in the address, or give it a certificate for this one.',
      );
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return away('was not asked, because this process is stopping');
    case 'UND_ERR_HEADERS_OVERFLOW':
      return { code: 'invalid_response', words: 'sent too many headers' };
    case 'UND_ERR_INVALID_ARG':
      return { code: 'invalid_argument', words: 'was not asked, because the address or a header is malformed' };
    default:
      return explainRest(error, name);
  }
}

function explainRest(error: Error, name: string): Unreachable {
  if (unknownSigner.test(name)) {
    return away(
      'has a certificate that no authority known to Muster has signed (self-signed, or of an authority of your own)',
      'Start Muster with NODE_EXTRA_CA_CERTS=<file> in its environment, where the file has the certificate of that authority.',
    );
  }
  if (name === 'EPROTO' || /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(name)) {
    return away('does not speak TLS at that port', 'Check the port, and whether the address begins with http://.');
  }
  if (/^(ERR_(SSL|TLS)|CERT|UNABLE_TO)_/.test(name)) return away(`refuses TLS, or has a bad certificate (${name})`);
  if (error.name === 'HTTPParserError')
    return { code: 'invalid_response', words: 'answered with something that is not HTTP', hint: 'Check the port.' };
  return away(`cannot be reached${name === '' ? '' : ` (${name})`}`);
}

function away(words: string, hint?: string): Unreachable {
  return { code: 'unavailable', words, ...(hint === undefined ? {} : { hint }) };
}
