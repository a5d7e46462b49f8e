/**
 * An `import` of this module of Node's asks it for everything it exports, `fetch` among it, which then is loaded and compiled
 * although nobody uses it: 20 ms and 13 MB in every process.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
