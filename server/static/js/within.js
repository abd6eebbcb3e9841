// How long an answer is waited for, in browsers too that have no word of their own for it (Safari before 16).

export function within(ms) {
  if (AbortSignal.timeout) return AbortSignal.timeout(ms);
  const limit = new AbortController();
  setTimeout(() => limit.abort(), ms);
  return limit.signal;
}
