// Where the pages begin: at "/", or under the path at which a proxy or another application has them.

const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

// An address of this site, written as if its pages began at "/".
export const address = (path) => root + path;
