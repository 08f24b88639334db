/** Base64 of this length is an image, not a word. */
const IMAGE_DATA = /("data":"|data:image\/[\w.+-]+;base64,)([A-Za-z0-9+/=]{256,})/g;

const SECRET_NAME = "api[_-]?key|authorization|secret|password|(?:access|auth|refresh|bearer)[_-]?token";
/** Members whose very name says that the value is nobody's business. */
const SECRET_MEMBER = new RegExp(`"([^"\\\\]*(?:${SECRET_NAME})[^"\\\\]*)"(\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, "gi");
/** The same in a JSON text within a string: a settings file that a tool has read. */
const QUOTED_MEMBER = new RegExp(
  `\\\\"([^"\\\\]*(?:${SECRET_NAME})[^"\\\\]*)\\\\"(\\s*:\\s*)\\\\"[^"\\\\]*\\\\"`,
  "gi",
);
/** `--api-key word`, in a command line or in a list of words. */
const SECRET_FLAG = new RegExp(`(--[\\w-]*(?:${SECRET_NAME}|token))(\\\\?"\\s*,\\s*\\\\?"|[ =])[^\\s"\\\\]+`, "gi");
/** Keys that providers have made recognisable. */
const KNOWN_KEY = /\b(?:sk-|ghp_|gho_|github_pat_|xox[abp]-|AIza|AKIA)[A-Za-z0-9_-]{12,}/g;

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
      .replaceAll(IMAGE_DATA, (_, head: string, data: string) => `${head}<${data.length} characters of base64>`)
      .replaceAll(SECRET_MEMBER, '"$1"$2"<redacted>"')
      .replaceAll(QUOTED_MEMBER, '\\"$1\\"$2\\"<redacted>\\"')
      .replaceAll(SECRET_FLAG, "$1$2<redacted>")
      .replaceAll(KNOWN_KEY, "<redacted>");
    for (const { name, text: secret } of secrets) text = text.replaceAll(secret, `<redacted ${name}>`);
    return text;
  };
}
