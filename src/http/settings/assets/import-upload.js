// Sends the bytes of one file to the address that it was given.

/** The upload was not taken. Status 0: nobody answered. */
export class NotTaken extends Error {
  constructor(status, message) {
    super(message || 'The connection was lost.');
    this.status = status;
  }
}

/**
 * Resolves once the bytes are safe. Rejects with NotTaken, or with an AbortError.
 * fetch cannot tell how far it is, so this is an XMLHttpRequest.
 */
export function send(file, { url, headers }, { onProgress, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) {
      // Browsers count the bytes themselves, and let nobody else say it.
      if (name.toLowerCase() !== 'content-length') request.setRequestHeader(name, value);
    }
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
    request.addEventListener('load', () => {
      if (request.status < 300) resolve();
      else reject(new NotTaken(request.status, messageIn(request.responseText)));
    });
    request.addEventListener('error', () => reject(new NotTaken(0)));
    request.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', stop));
    signal.addEventListener('abort', stop);
    if (signal.aborted) reject(new DOMException('stopped', 'AbortError'));
    // A slice has no type that would be sent along: the address was signed without one.
    else request.send(file.slice());
  });
}

function messageIn(text) {
  try {
    return JSON.parse(text).error.message;
  } catch {
    return '';
  }
}
