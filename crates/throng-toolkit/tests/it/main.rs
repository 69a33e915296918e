//! The toolkit from outside: one-way flows and the PIBT step.

mod flow;
mod pibt_step;
