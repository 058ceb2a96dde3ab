mod cost;
mod groups;
mod rows;
