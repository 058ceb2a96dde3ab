mod cost;
mod groups;
