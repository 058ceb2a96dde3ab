mod cost;
