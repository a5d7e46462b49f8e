/** Four password verifications would fill the default four threads, and files and keys would wait behind them. */
process.env.UV_THREADPOOL_SIZE ??= '8'
