/** Base64 of this length is an image, not a word. */
const IMAGE_DATA = /"data":"([A-Za-z0-9+/=]{256,})"/g;
/** Members whose very name says that the value is nobody's business. */
const SECRET_MEMBER =
  /"([^"\\]*(?:api[_-]?key|authorization|secret|password|(?:access|auth|refresh|bearer)[_-]?token)[^"\\]*)":"(?:[^"\\]|\\.)*"/gi;
const SECRET_VARIABLE = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;
/** What is shorter is more likely a word of everyday text than a key. */
const SHORTEST_SECRET = 8;

/**
 * Makes a JSON text fit for a bug report: no image data, no API keys. `environments` are searched for the keys
 * themselves, so that one that a tool printed is taken out too.
 */
export function redactor(...environments: NodeJS.ProcessEnv[]): (json: string) => string {
  const secrets = environments
    .flatMap((environment) => Object.entries(environment))
    .filter(([name, value]) => SECRET_VARIABLE.test(name) && value !== undefined && value.length >= SHORTEST_SECRET)
    // The longer one first: one key may begin with another.
    .sort(([, a = ""], [, b = ""]) => b.length - a.length)
    .map(([name, value = ""]) => ({ name, text: JSON.stringify(value).slice(1, -1) }));
  return (json) => {
    let text = json
      .replaceAll(IMAGE_DATA, (_, data: string) => `"data":"<${data.length} characters of base64>"`)
      .replaceAll(SECRET_MEMBER, '"$1":"<redacted>"');
    for (const { name, text: secret } of secrets) text = text.replaceAll(secret, `<redacted ${name}>`);
    return text;
  };
}
