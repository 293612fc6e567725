import fc from 'fast-check';

// That a property fails is enough here. Looking for its smallest counterexample would take most of the time.
fc.configureGlobal({ endOnFailure: true });
