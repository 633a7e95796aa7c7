/** Finds the endpoints in a document of the specification. */

export interface SpecifiedEndpoint {
  /** Method and path in the notation of the contract table, such as `GET /fs/read/*`. */
  endpoint: string;
  /** The auth label of the table row, or in parentheses after the endpoint; null for a mere mention. */
  auth: string | null;
  /** `file:line` */
  place: string;
}

const endpointPattern = /`(GET|POST|PUT|PATCH|DELETE) (\/[^`]*)`(?: \(([^)]+)\))?/g;

function endpointsIn(text: string): { endpoint: string; label: string | null }[] {
  return [...text.matchAll(endpointPattern)].map(([, method, target = '', label = null]) => ({
    endpoint: `${method} ${target.replace(/\?.*$/, '').replace(/<\w+>/g, '*')}`,
    label,
  }));
}

/**
 * Returns the endpoints of a document's tables, whose first column is `Operation` and whose second one is the auth
 * label, and those of its text. Throws if a row of such a table has no endpoint.
 */
export function endpointsOf(file: string, markdown: string): SpecifiedEndpoint[] {
  let isInTable = false;
  return markdown.split('\n').flatMap((line, index) => {
    const place = `${file}:${index + 1}`;
    isInTable = line.startsWith('| Operation |') || (isInTable && line.startsWith('|'));
    if (!isInTable || /^\| (?:Operation|---) \|/.test(line))
      return endpointsIn(line).map(({ endpoint, label }) => ({ endpoint, auth: label, place }));
    const [, operation = '', auth = '', ...others] = line.split('|');
    const declared = endpointsIn(operation);
    if (declared.length === 0 || auth.trim() === '')
      throw new Error(`${place}: the row has no endpoint with an auth label`);
    return [
      ...declared.map(({ endpoint }) => ({ endpoint, auth: auth.trim(), place })),
      ...endpointsIn(others.join('|')).map(({ endpoint }) => ({ endpoint, auth: null, place })),
    ];
  });
}
