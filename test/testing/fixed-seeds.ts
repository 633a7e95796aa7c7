/** Fast tests make the same choices in every run. FAST_CHECK_SEED makes others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });
